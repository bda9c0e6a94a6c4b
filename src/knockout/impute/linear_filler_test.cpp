// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/linear_filler.h"

#include <gtest/gtest.h>

#include <vector>

#include "knockout/impute/test_tables.h"

namespace knockout {
namespace {

using namespace knockout::test;

/// Three numbers with mean 0 and deviation 1.
ImputerInputs unit_space() {
  const Columns columns(3, {-1, 1});
  return ImputerInputs::fit(table_of(columns), schema_of(columns), 1);
}

TEST(GroupByPattern, PutsRowsWithTheSameGapsTogetherAndLeavesCompleteRowsOut) {
  const Columns columns = {{1, kGap, 1, kGap, 1}, {kGap, 1, 1, 1, kGap}, {1, kGap, 1, kGap, 1}};
  const InputMatrix inputs = unit_space().read(table_of(columns), 1);
  const std::vector<PatternRows> groups = group_by_pattern(inputs);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].missing, (std::vector<std::size_t>{1}));
  EXPECT_EQ(groups[0].rows, (std::vector<std::size_t>{0, 4}));
  EXPECT_EQ(groups[1].missing, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[1].rows, (std::vector<std::size_t>{1, 3}));
}

TEST(LinearFiller, FindsThePointAtWhichEquationsSettle) {
  // x0 = 0.5 x1 + 0.25 x2 + 0.1, x1 = 0.3 x0 - 0.2 x2 - 0.4, x2 = 0.6 x1 + 0.7.
  const LinearFiller filler({1, -0.5, -0.25, -0.3, 1, 0.2, 0, -0.6, 1}, {0.1, -0.4, 0.7});
  const ImputerInputs space = unit_space();
  InputMatrix inputs =
      space.read(table_of({{0.9, kGap, kGap}, {kGap, 0.4, kGap}, {kGap, kGap, kGap}}), 1);
  filler.fill(space, inputs, 1);
  for (std::size_t row = 0; row < 3; ++row) {
    double x0 = row == 0 ? 0.9 : 0, x1 = row == 1 ? 0.4 : 0, x2 = 0;
    for (int round = 0; round < 200; ++round) {  // the naive twin
      if (row != 0) x0 = 0.5 * x1 + 0.25 * x2 + 0.1;
      if (row != 1) x1 = 0.3 * x0 - 0.2 * x2 - 0.4;
      x2 = 0.6 * x1 + 0.7;
    }
    EXPECT_NEAR(inputs.values_of(row)[0], x0, 1e-5);
    EXPECT_NEAR(inputs.values_of(row)[1], x1, 1e-5);
    EXPECT_NEAR(inputs.values_of(row)[2], x2, 1e-5);
  }
}

TEST(LinearFiller, FallsBackToTheNearestSolutionWhenEquationsRepeatEachOther) {
  // x0 = x1 and x1 = x0: any value would do, the one nearest to the mean is taken.
  const LinearFiller filler({1, -1, 0, -1, 1, 0, 0, 0, 1}, {0, 0, 0});
  const ImputerInputs space = unit_space();
  InputMatrix inputs = space.read(table_of({{kGap}, {kGap}, {1}}), 1);
  filler.fill(space, inputs, 1);
  EXPECT_NEAR(inputs.values_of(0)[0], 0, 1e-6);
  EXPECT_NEAR(inputs.values_of(0)[1], 0, 1e-6);
}

}  // namespace
}  // namespace knockout
