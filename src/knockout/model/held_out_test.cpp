// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/held_out.h"

#include <gtest/gtest.h>

namespace knockout {
namespace {

TEST(HeldOut, AreJudgedUnderManyMasksUnlessThatTakesMoreThanTheTraining) {
  EXPECT_EQ(masks_per_row(12, 100), 171U);       // 2,048 rows
  EXPECT_EQ(masks_per_row(12, 16'384), 171U);    // 2,048 rows of 2^25 numbers in all
  EXPECT_EQ(masks_per_row(12, 300'000), 10U);    // 112 rows
  EXPECT_EQ(masks_per_row(5'000, 300'000), 1U);  // what is held out is judged in any case
  EXPECT_EQ(masks_per_row(1, 2'000'000'000), 1U);
}

}  // namespace
}  // namespace knockout
