// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "knockout/base/error.h"

namespace knockout {
namespace {

TEST(Schedule, StaysFallsInStepsOrAlongACosine) {
  const StepDecay decay{.at = {0.5, 0.75}, .factor = 0.1};
  for (const double share : {0.0, 0.6, 1.0}) {
    EXPECT_EQ(learning_rate_factor(Schedule::kConstant, decay, share), 1.0);
  }
  EXPECT_EQ(learning_rate_factor(Schedule::kStep, decay, 0.49), 1.0);
  EXPECT_DOUBLE_EQ(learning_rate_factor(Schedule::kStep, decay, 0.5), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_factor(Schedule::kStep, decay, 1.0), 0.01);
  EXPECT_EQ(learning_rate_factor(Schedule::kCosine, decay, 0.0), 1.0);
  EXPECT_NEAR(learning_rate_factor(Schedule::kCosine, decay, 0.75), 0.5 - std::sqrt(0.125), 1e-12);
  EXPECT_NEAR(learning_rate_factor(Schedule::kCosine, decay, 1.0), 0.0, 1e-12);
}

TEST(StepDecay, RefusesSharesAndFactorsThatMakeNoSense) {
  EXPECT_NO_THROW(check(StepDecay{}));
  EXPECT_NO_THROW(check({.at = {}, .factor = 1}));
  for (const double factor : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(check({.factor = factor}), ConfigError) << factor;
  }
  for (const double at : {0.0, 1.0, -0.5, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(check({.at = {at}}), ConfigError) << at;
  }
  EXPECT_THROW(check({.at = {0.5, 0.25}}), ConfigError);
}

}  // namespace
}  // namespace knockout
