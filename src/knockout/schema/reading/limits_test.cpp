// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/limits.h"

#include <gtest/gtest.h>

namespace knockout {
namespace {

TEST(Limits, AreTold) {
  for (const char* const cell :
       {"<0.5", "< 0.5", ">90", "≤5", "≥ 90", "<=5", ">=5", "<LOD", "< lod", "<LLOQ", "BDL",
        "below LOD", "Below Limit of Detection", "90+", "90 +", "less than 5", ">1e5", "BLQ"}) {
    EXPECT_TRUE(find_limit(cell, {})) << cell;
  }
  for (const char* const cell : {"", "0.5", "<", ">", "+", "<b>", "<5-10", "x<5", "low", "high",
                                 "A+", "++", "<five", "5", "<NA>", "-5", "lodge"}) {
    EXPECT_FALSE(find_limit(cell, {})) << cell;
  }
}

TEST(Limits, HaveASide) {
  for (const char* const cell : {"<0.5", "≤5", "=<5", "<LOD", "BDL", "LOD", "under 5", "-Inf"}) {
    EXPECT_EQ(find_limit(cell, {}), CellState::kBelowLimit) << cell;
  }
  for (const char* const cell : {">90", "≥ 90", ">=5", "> ULOQ", "ALOQ", "90+", "over 5", "inf"}) {
    EXPECT_EQ(find_limit(cell, {}), CellState::kAboveLimit) << cell;
  }
}

TEST(Limits, AreWrittenInTheFormatOfTheColumn) {
  const NumberFormat european{.decimal_mark = ',', .thousands_mark = '.', .suffix = "mg/l"};
  EXPECT_TRUE(find_limit("<0,5", european));
  EXPECT_TRUE(find_limit("< 0,5 mg/l", european));
  EXPECT_TRUE(find_limit(">1.000", european));
  // A new file may have the other decimal mark, where it is clear.
  EXPECT_TRUE(find_limit("<0.5", european));
  EXPECT_TRUE(find_limit("<0,5", {}));
  EXPECT_FALSE(find_limit("<1,234", {}));
  EXPECT_FALSE(find_limit("<5 kg", european));
}

}  // namespace
}  // namespace knockout
