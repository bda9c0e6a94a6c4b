// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_list.h"

#include <gtest/gtest.h>

namespace knockout {
namespace {

using Names = std::vector<std::string>;

TEST(SplitColumnList, SplitsAtCommasAndTrims) {
  EXPECT_EQ(split_column_list({"age, bmi", "sex", "a,,b,"}, {}),
            (Names{"age", "bmi", "sex", "a", "b"}));
}

TEST(SplitColumnList, NeverSplitsTheNameOfAColumn) {
  EXPECT_EQ(split_column_list({"income, yearly", "age,income, yearly"}, {"income, yearly", "age"}),
            (Names{"income, yearly", "age", "income", "yearly"}));
}

TEST(SplitColumnList, KeepsPatternsAndNamesWithBlanksInside) {
  EXPECT_EQ(split_column_list({"vol_*,left eye"}, {}), (Names{"vol_*", "left eye"}));
}

TEST(SplitAssignments, SplitsAfterEachValue) {
  EXPECT_EQ(split_assignments({"age=0:120, bmi=10:60", "x=:5"}),
            (Names{"age=0:120", "bmi=10:60", "x=:5"}));
}

TEST(SplitAssignments, KeepsCommasBeforeTheEqualsSign) {
  EXPECT_EQ(split_assignments({"height,weight=0.8,a,b=1"}), (Names{"height,weight=0.8", "a,b=1"}));
}

TEST(SplitAssignments, LeavesWhatIsNoAssignmentForTheReaderToComplainAbout) {
  EXPECT_EQ(split_assignments({"age", "x=1,y"}), (Names{"age", "x=1", "y"}));
}

}  // namespace
}  // namespace knockout
