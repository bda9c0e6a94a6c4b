// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/number_sums.h"

#include <gtest/gtest.h>

#include <vector>

#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using namespace knockout::test;

TEST(NumberSums, CountsObservedCellsAlone) {
  const Column column = numbers("x", {kGap, 5, 7, kReasonGap, 4, kGap, 9, 1, 8, 2, kGap});
  const NumberSums fast = sums_of(column);
  NumberSums naive;
  for (const double number : {5, 7, 4, 9, 1, 8, 2}) naive.add(number);
  EXPECT_EQ(fast.count, 7U);
  EXPECT_EQ(fast.first, naive.first);
  EXPECT_EQ(fast.sum, naive.sum);
  EXPECT_EQ(fast.squares, naive.squares);
  EXPECT_EQ(fast.lowest, 1);
  EXPECT_EQ(fast.highest, 9);
}

TEST(NumberSums, CountsNothingInAColumnOfGaps) {
  EXPECT_EQ(sums_of(numbers("x", {kGap, kGap, kGap, kGap, kGap})).count, 0U);
  EXPECT_EQ(sums_of(numbers("x", {})).count, 0U);
}

}  // namespace
}  // namespace knockout
