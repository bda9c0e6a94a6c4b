// SPDX-License-Identifier: Apache-2.0
#include "experiments/classification_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace knockout::experiments {
namespace {

TEST(ClassificationData, TheRingSurroundsTheCross) {
  const Table table = draw_classification(ClassificationProblem::kContinuous, 1, 2000);
  std::size_t ones = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double x1 = table.at("x1").number(row), x2 = table.at("x2").number(row);
    if (table.at("y").number(row) == 0) {
      EXPECT_GE(std::hypot(x1, x2), 0.8 - 1e-12);
      EXPECT_LE(std::hypot(x1, x2), 0.9 + 1e-12);
    } else {
      ++ones;
      EXPECT_LE(std::min(std::abs(x1), std::abs(x2)), 0.01);
      EXPECT_LE(std::max(std::abs(x1), std::abs(x2)), 0.8);
    }
  }
  EXPECT_EQ(ones, 1000U);
}

/// P(y = 1) = 0.4 * 0.6 + 0.6 * 0.4 = 0.48, P(y = 1 | a) = 0.6, P(y = 1 | b) = 0.4.
TEST(ClassificationData, TheMixtureHasItsMarginals) {
  const Table table = draw_classification(ClassificationProblem::kMixed, 1, 40000);
  double ones = 0, squares = 0, sum = 0;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    ones += table.at("y").number(row);
    sum += table.at("x2").number(row);
    squares += std::pow(table.at("x2").number(row), 2);
  }
  EXPECT_NEAR(ones / 40000, 0.48, 0.01);
  // P is symmetric about 0.5; its variance is 0.6 * distance^2 + sd^2, mixed over the categories.
  EXPECT_NEAR(sum / 40000, 0.0, 0.05);
  const double variance =
      81 * (0.4 * (0.6 * .0625 + .0009) + 0.3 * (0.6 * .09 + .0025) + 0.3 * (0.6 * .1225 + .0049));
  EXPECT_NEAR(squares / 40000, variance, 0.02 * variance);
  const MarginalBins bins = bin_rows(ClassificationProblem::kMixed, "x1", table);
  EXPECT_NEAR(bins.frequencies[0], 0.6, 0.015);
  EXPECT_NEAR(bins.frequencies[1], 0.4, 0.015);
  EXPECT_NEAR(bins.frequencies[2], 0.4, 0.015);
}

TEST(ClassificationData, BinsAreTheTwentyOneOfThePaper) {
  const Table table = draw_classification(ClassificationProblem::kContinuous, 1, 2000);
  const MarginalBins bins = bin_rows(ClassificationProblem::kContinuous, "x2", table);
  ASSERT_EQ(bins.centers.size(), 21U);
  EXPECT_NEAR(bins.centers[0], -0.8 + 0.8 / 21, 1e-12);
  EXPECT_NEAR(bins.centers[10], 0.0, 1e-12);
  EXPECT_EQ(bins_to_table(bins).rows(), 21U);
}

TEST(JensenShannon, IsZeroForEqualsAndLogTwoForOpposites) {
  EXPECT_EQ(jensen_shannon({0.3, 0.9}, {0.3, 0.9}), 0.0);
  EXPECT_NEAR(jensen_shannon({1.0, 0.0}, {0.0, 1.0}), std::numbers::ln2, 1e-12);
  EXPECT_EQ(jensen_shannon({0.3, 0.5}, {0.3, NAN}), 0.0) << "bins without rows do not count";
}

/// By hand for p = 0.5, q = 1: m = 0.75, 0.25; KL(m || p) + KL(q || m), mean over two entries.
TEST(JensenShannon, ThePapersFormulaIsAnother) {
  const double kl_mp = 0.75 * std::log(1.5) + 0.25 * std::log(0.5), kl_qm = std::log(1 / 0.75);
  EXPECT_NEAR(jensen_shannon_of_paper({0.5}, {1.0}), (kl_mp + kl_qm) / 4, 1e-12);
  EXPECT_TRUE(std::isinf(jensen_shannon_of_paper({0.0}, {1.0})));
}

}  // namespace
}  // namespace knockout::experiments
