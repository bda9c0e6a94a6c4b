// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/number_scale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace knockout {
namespace {

std::optional<NumberScale> scale_of(const std::vector<double>& numbers) {
  return robust_scale(numbers, moments_of(numbers));
}

TEST(NumberScale, IsLeftToMeanAndStandardDeviationWithoutOutliers) {
  EXPECT_FALSE(scale_of({1, 3, 5, 7}).has_value());
  std::vector<double> two_heaps(50, 0.0);
  for (int i = 0; i < 30; ++i) two_heaps.push_back(1.0);
  EXPECT_FALSE(scale_of(two_heaps).has_value());
  std::vector<double> long_tail;
  for (int i = 1; i < 200; ++i) long_tail.push_back(std::exp(3.0 * i / 200));
  EXPECT_FALSE(scale_of(long_tail).has_value());
}

TEST(NumberScale, IsMedianAndQuartilesWhereAnOutlierMakesTheStandardDeviation) {
  std::vector<double> numbers;
  for (int i = 0; i <= 100; ++i) numbers.push_back(i);  // quartiles 25 and 75
  numbers[17] = 1e6;
  numbers[100] = 17;
  const NumberScale scale = scale_of(numbers).value();
  EXPECT_EQ(scale.center, 50.0);
  EXPECT_NEAR(scale.spread, 50.0 / 1.349, 0.01);
}

TEST(NumberScale, DoesNotDependOnTheOrder) {
  std::vector<double> up, down;
  for (int i = 0; i < 50; ++i) up.push_back(std::exp(0.4 * i));
  down.assign(up.rbegin(), up.rend());
  EXPECT_EQ(scale_of(up)->center, scale_of(down)->center);
  EXPECT_EQ(scale_of(up)->spread, scale_of(down)->spread);
}

TEST(NumberScale, LooksFartherOutWhereMostNumbersAreAlike) {
  std::vector<double> numbers(100, 0.0);
  for (int i = 0; i < 15; ++i) numbers[i] = 10.0 + i;  // a tenth lies above 14
  numbers[0] = 1e6;
  const NumberScale scale = scale_of(numbers).value();
  EXPECT_EQ(scale.center, 0.0);
  EXPECT_NEAR(scale.spread, 15.1 / 2.563, 0.4);

  std::vector<double> rare(400, 0.0);
  rare[7] = 1.0;
  EXPECT_FALSE(scale_of(rare).has_value()) << "no quantile is left";
}

TEST(NumberScale, IsAbsentOrFiniteWhateverTheNumbers) {
  constexpr double kMost = std::numeric_limits<double>::max();
  const auto largest = scale_of({kMost, -kMost, 0, 1, 2, 3});
  EXPECT_TRUE(!largest || (std::isfinite(largest->center) && std::isfinite(largest->spread)));
  EXPECT_FALSE(scale_of({0.1, 0.1}).has_value());
  EXPECT_FALSE(scale_of({}).has_value());
}

}  // namespace
}  // namespace knockout
