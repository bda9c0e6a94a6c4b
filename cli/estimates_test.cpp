// SPDX-License-Identifier: Apache-2.0
#include "cli/estimates.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/random.h"

namespace knockout::cli {
namespace {

/// Mean and variance of the mean of what rows contribute, by definition.
struct MeanOfRows {
  double mean = 0, variance = 0;
};
MeanOfRows mean_of_rows(const std::vector<double>& rows) {
  MeanOfRows found;
  const auto n = static_cast<double>(rows.size());
  for (const double row : rows) found.mean += row / n;
  for (const double row : rows) found.variance += (row - found.mean) * (row - found.mean);
  found.variance /= (n - 1) * n;
  return found;
}

Estimate estimate_of(const std::vector<double>& rows) {
  const MeanOfRows found = mean_of_rows(rows);
  const double error = std::sqrt(found.variance);
  return {found.mean, found.mean - 1.96 * error, found.mean + 1.96 * error, error};
}

TEST(RootOf, IsTheRmseWithItsDeltaMethodInterval) {
  const Estimate root = root_of({.value = 4, .low = 3, .high = 5, .standard_error = 0.5});
  EXPECT_DOUBLE_EQ(root.value, 2);
  EXPECT_DOUBLE_EQ(root.standard_error, 0.125) << "0.5 / (2 * 2)";
  EXPECT_DOUBLE_EQ(root.low, 2 - 1.96 * 0.125);
  EXPECT_DOUBLE_EQ(root.high, 2 + 1.96 * 0.125);
}

TEST(RootOf, KnowsNothingOfWhatIsNotKnownAndEndsAtZero) {
  EXPECT_TRUE(std::isnan(root_of(kNoEstimate).value));
  EXPECT_EQ(root_of({0, 0, 0, 0}).value, 0);
  EXPECT_EQ(root_of({.value = 1, .low = 0, .high = 9, .standard_error = 4}).low, 0);
}

/// The root of a mean moves with each row by its contribution over twice the root: what the
/// difference of two roots must come to when rows are paired.
TEST(RootDifference, PairsRowsAsTheInfluenceFunctionDoes) {
  const Random random(5, Stream::kSimulation);
  std::vector<double> a, b, difference, influence;
  for (int r = 0; r < 400; ++r) {
    const double shared = random.normal(0, r, 0);
    a.push_back(std::pow(shared + 0.5 * random.normal(0, r, 1), 2));
    b.push_back(0.5 * std::pow(shared, 2));
    difference.push_back(a.back() - b.back());
  }
  const double root_a = std::sqrt(mean_of_rows(a).mean), root_b = std::sqrt(mean_of_rows(b).mean);
  for (std::size_t r = 0; r < a.size(); ++r) {
    influence.push_back(a[r] / (2 * root_a) - b[r] / (2 * root_b));
  }
  const Estimate found = root_difference(estimate_of(a), estimate_of(b), estimate_of(difference));
  EXPECT_NEAR(found.value, root_a - root_b, 1e-12);
  EXPECT_NEAR(found.standard_error, std::sqrt(mean_of_rows(influence).variance), 1e-9);
}

TEST(EstimateText, HasAsManyDecimalsAsTheIntervalBearsOut) {
  EXPECT_EQ(estimate_text({.value = 0.41234, .standard_error = 0.0107}), "0.412 +- 0.021");
  EXPECT_EQ(estimate_text({.value = 0.41234, .standard_error = 0.0107}, true), "+0.412 +- 0.021");
  EXPECT_EQ(estimate_text(kNoEstimate), "-");
}

}  // namespace
}  // namespace knockout::cli
