// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

namespace knockout::report {
namespace {

std::vector<std::string> labels_of(const Axis& axis) {
  std::vector<std::string> labels;
  for (const Tick& tick : axis.ticks) labels.push_back(tick.label);
  return labels;
}
using Labels = std::vector<std::string>;

TEST(LinearAxis, PutsTicksAtRoundNumbers) {
  EXPECT_EQ(labels_of(linear_axis(0, 1)), (Labels{"0.0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
  EXPECT_EQ(labels_of(linear_axis(-0.3, 2.2)), (Labels{"0.0", "0.5", "1.0", "1.5", "2.0"}));
  EXPECT_EQ(labels_of(linear_axis(0, 4200)), (Labels{"0", "1,000", "2,000", "3,000", "4,000"}));
  EXPECT_EQ(labels_of(linear_axis(0, 5e7)),
            (Labels{"0", "10⁷", "2×10⁷", "3×10⁷", "4×10⁷", "5×10⁷"}));
}

TEST(LinearAxis, HasAFewTicksInsideForAnyRange) {
  for (double centre : {0.0, 1.0, -17.3, 1e9}) {
    for (double width = 1e-7; width < 1e12; width *= 3.7) {
      if (width < 1e-9 * std::abs(centre)) continue;
      const Axis axis = linear_axis(centre - width / 2, centre + width / 2);
      EXPECT_GE(axis.ticks.size(), 2U) << centre << " " << width;
      EXPECT_LE(axis.ticks.size(), 8U) << centre << " " << width;
      for (const Tick& tick : axis.ticks) {
        EXPECT_GT(axis.share_of(tick.value), -1e-6);
        EXPECT_LT(axis.share_of(tick.value), 1 + 1e-6);
      }
    }
  }
}

TEST(LinearAxis, MovesEqualEndsApart) {
  EXPECT_GE(linear_axis(3, 3).ticks.size(), 2U);
  EXPECT_GE(linear_axis(0, 0).ticks.size(), 2U);
}

TEST(WholeAxis, HasNoTickBetweenWholeNumbers) {
  EXPECT_EQ(labels_of(whole_axis(0, 3)), (Labels{"0", "1", "2", "3"}));
  EXPECT_EQ(labels_of(whole_axis(0, 40)),
            (Labels{"0", "5", "10", "15", "20", "25", "30", "35", "40"}));
}

TEST(LogAxis, SpacesFactorsEqually) {
  const Axis axis = log_axis(0.01, 100);
  EXPECT_DOUBLE_EQ(axis.share_of(1), 0.5);
  EXPECT_DOUBLE_EQ(axis.share_of(10) - axis.share_of(1), axis.share_of(1) - axis.share_of(0.1));
}

TEST(LogAxis, ChoosesTicksByTheNumberOfDecades) {
  EXPECT_EQ(labels_of(log_axis(0.9, 22)), (Labels{"1", "2", "5", "10", "20"}));
  EXPECT_EQ(labels_of(log_axis(0.001, 1000)),
            (Labels{"0.001", "0.01", "0.1", "1", "10", "100", "1,000"}));
  EXPECT_EQ(labels_of(log_axis(1e-12, 1)),
            (Labels{"10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"}));
  EXPECT_EQ(labels_of(log_axis(0.31, 0.72)), (Labels{"0.4", "0.5", "0.6", "0.7"}));
}

TEST(LogAxis, HasAFewTicksInsideForAnyRange) {
  for (double low : {1e-9, 0.034, 1.0, 7e5}) {
    for (double factor = 1.01; factor < 1e15; factor *= 2.3) {
      const Axis axis = log_axis(low, low * factor);
      EXPECT_GE(axis.ticks.size(), 2U) << low << " " << factor;
      EXPECT_LE(axis.ticks.size(), 9U) << low << " " << factor;
      std::set<std::string> labels;
      for (const Tick& tick : axis.ticks) EXPECT_TRUE(labels.insert(tick.label).second);
    }
  }
}

TEST(PaddedRange, BeginsAtZeroWhereZeroIsNear) {
  EXPECT_EQ(padded_range({0.2, 1.0}, false).first, 0.0);
  EXPECT_GT(padded_range({0.9, 1.0}, false).first, 0.8);
  EXPECT_GT(padded_range({0.9, 1.0}, false).second, 1.0);
}

TEST(PaddedRange, PassesOverWhatCannotBeDrawn) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(padded_range({nan, inf}, false), (std::pair{0.0, 1.0}));
  const auto [low, high] = padded_range({-1, 0, nan, 1, 10}, true);
  EXPECT_GT(low, 0.5);
  EXPECT_LT(high, 20);
}

}  // namespace
}  // namespace knockout::report
