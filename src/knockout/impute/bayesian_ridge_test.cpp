// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/bayesian_ridge.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/impute/gram.h"

namespace knockout {
namespace {

/// Rows of (a, b, noise, 1) with standard normal numbers.
std::vector<float> rows_of(std::size_t rows) {
  const Random random(11, Stream::kSimulation);
  std::vector<float> values;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t c = 0; c < 3; ++c) {
      values.push_back(static_cast<float>(random.normal(0, row, c)));
    }
    values.push_back(1.0F);
  }
  return values;
}

const std::vector<std::size_t> kPredictors = {0, 1}, kTarget = {2};

TEST(Gram, EqualsTheNaiveSums) {
  const std::vector<float> values = rows_of(1000);
  const std::vector<double> sums = gram(values.data(), 4, 1000, 1);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      double expected = 0;
      for (std::size_t row = 0; row < 1000; ++row) {
        expected += static_cast<double>(values[4 * row + i]) * values[4 * row + j];
      }
      EXPECT_NEAR(sums[4 * i + j], expected, 1e-3);
    }
  }
}

TEST(Gram, GivesTheSameBitsWithOneAndThreeThreads) {
  const std::vector<float> values = rows_of(40000);
  EXPECT_EQ(gram(values.data(), 4, 40000, 1), gram(values.data(), 4, 40000, 3));
}

TEST(BayesianRidge, FindsAnExactRelation) {
  std::vector<float> values = rows_of(300);
  for (std::size_t row = 0; row < 300; ++row) {
    values[4 * row + 2] = 2 * values[4 * row] - 0.5F * values[4 * row + 1] + 3;
  }
  const RidgeEquations learned =
      bayesian_ridge(gram(values.data(), 4, 300, 1), 4, 3, kPredictors, kTarget);
  EXPECT_NEAR(learned.coefficients[0], 2, 1e-3);
  EXPECT_NEAR(learned.coefficients[1], -0.5, 1e-3);
  EXPECT_NEAR(learned.constants[0], 3, 1e-3);
}

TEST(BayesianRidge, LearnsTheMeanOfATargetThatNothingPredicts) {
  std::vector<float> values = rows_of(300);
  for (std::size_t row = 0; row < 300; ++row) values[4 * row + 2] += 7;
  const std::vector<double> sums = gram(values.data(), 4, 300, 1);
  const RidgeEquations learned = bayesian_ridge(sums, 4, 3, kPredictors, kTarget);
  EXPECT_NEAR(learned.coefficients[0], 0, 0.1);
  EXPECT_NEAR(learned.coefficients[1], 0, 0.1);
  EXPECT_NEAR(learned.constants[0], 7, 0.2);
  EXPECT_NEAR(bayesian_ridge(sums, 4, 3, {}, kTarget).constants[0], sums[4 * 3 + 2] / 300, 1e-9);
}

/// The logarithm of the evidence of one predictor without centring, up to a constant: the target is
/// Gaussian with covariance I / noise + x x' / weight (by the matrix determinant lemma).
double log_evidence(double xx, double xy, double yy, double rows, double noise, double weight) {
  const double precision = weight + noise * xx;
  return 0.5 * (std::log(weight) + rows * std::log(noise) - std::log(precision) - noise * yy +
                noise * noise * xy * xy / precision);
}

TEST(BayesianRidge, ShrinksAsMuchAsTheEvidenceAsks) {
  // A weak relation of few rows, where shrinkage matters; the twin searches a grid of precisions.
  std::vector<float> values = rows_of(20);
  for (std::size_t row = 0; row < 20; ++row) values[4 * row + 2] += 0.6F * values[4 * row];
  const std::vector<double> sums = gram(values.data(), 4, 20, 1);
  const auto centred = [&](std::size_t i, std::size_t j) {
    return sums[4 * i + j] - sums[12 + i] * sums[12 + j] / 20;
  };
  const double xx = centred(0, 0), xy = centred(0, 2), yy = centred(2, 2);
  double best = -1e300, expected = 0;
  for (double noise = 0.1; noise < 10; noise *= 1.005) {
    for (double weight = 0.05; weight < 500; weight *= 1.005) {
      const double evidence = log_evidence(xx, xy, yy, 20, noise, weight);
      if (evidence > best) best = evidence, expected = noise * xy / (weight + noise * xx);
    }
  }
  const std::vector<std::size_t> predictor = {0};
  const RidgeEquations learned = bayesian_ridge(sums, 4, 3, predictor, kTarget);
  EXPECT_NEAR(learned.coefficients[0], expected, 2e-3);
  EXPECT_LT(expected, 0.98 * xy / xx);  // least squares would not shrink
}

}  // namespace
}  // namespace knockout
