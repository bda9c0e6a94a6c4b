// SPDX-License-Identifier: Apache-2.0
#include "experiments/dimension_study.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace knockout::experiments {
namespace {

/// One dimension is the half normal: P(norm < r) = erf(r / sqrt 2), mean sqrt(2 / pi).
TEST(NormDistribution, IsTheHalfNormalInOneDimension) {
  const NormDistribution one{1};
  for (const double norm : {0.1, 1.0, 2.5}) {
    EXPECT_NEAR(one.probability_below(norm), std::erf(norm / std::numbers::sqrt2), 1e-14);
    EXPECT_NEAR(one.density(norm), std::sqrt(2 / std::numbers::pi) * std::exp(-0.5 * norm * norm),
                1e-14);
  }
  EXPECT_NEAR(one.mean(), std::sqrt(2 / std::numbers::pi), 1e-14);
  EXPECT_NEAR(one.stddev(), std::sqrt(1 - 2 / std::numbers::pi), 1e-14);
}

/// Two dimensions are Rayleigh's, and an even dimension 2k has a finite sum: P = 1 - exp(-x)
/// (1 + x + .. + x^(k-1) / (k-1)!), x = r^2 / 2.
TEST(NormDistribution, IsAFiniteSumInEvenDimensions) {
  EXPECT_NEAR(NormDistribution{2}.density(1.5), 1.5 * std::exp(-1.125), 1e-14);
  for (const int half : {1, 2, 8}) {
    for (const double norm : {1.0, 3.0, 6.0}) {
      const double x = 0.5 * norm * norm;
      double sum = 0, term = 1;
      for (int i = 0; i < half; ++i) {
        sum += term;
        term *= x / (i + 1);
      }
      EXPECT_NEAR(NormDistribution{2 * half}.probability_below(norm), 1 - std::exp(-x) * sum,
                  1e-13);
    }
  }
}

/// The derivative of the probability is the density, in the dimensions of images too.
TEST(NormDistribution, DensityIsTheSlopeOfTheProbability) {
  for (const int dimension : {3, 64, 1024}) {
    const NormDistribution norm{dimension};
    const double at = norm.mean(), step = 1e-4;
    EXPECT_NEAR(
        norm.density(at),
        (norm.probability_below(at + step) - norm.probability_below(at - step)) / (2 * step), 1e-6);
  }
}

/// Drawn points agree with the formula within five standard errors.
TEST(DimensionStudy, SamplesFollowTheFormula) {
  StudyOptions options;
  options.quick = true;
  const StudyResult result = reproduce_dimension(options);
  const double points = result.data["points"];
  ASSERT_GE(result.data["results"].size(), 5U);
  for (const auto& row : result.data["results"]) {
    const auto& formula = row["formula"];
    const double stddev = formula["stddev_norm"], near = formula["near_zeros"];
    EXPECT_NEAR(row["mean_norm"].get<double>(), formula["mean_norm"].get<double>(),
                5 * stddev / std::sqrt(points))
        << row["dimension"];
    EXPECT_NEAR(row["near_zeros"].get<double>(), near,
                5 * std::sqrt(near * (1 - near) / points) + 1e-9)
        << row["dimension"];
    EXPECT_EQ(row["near_ten"], 0.0);
  }
}

}  // namespace
}  // namespace knockout::experiments
