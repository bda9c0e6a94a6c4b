// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <gtest/gtest.h>

namespace knockout::cli {
namespace {

TEST(Output, GroupsThousands) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

TEST(Output, NeverShowsASmallShareAsNothing) {
  EXPECT_EQ(percent(0), "0.0 %");
  EXPECT_EQ(percent(0.0001), "<0.1 %");
  EXPECT_EQ(percent(0.125), "12.5 %");
  EXPECT_EQ(percent(1), "100.0 %");
}

TEST(Output, ShowsTimesInTheUnitThatSuits) {
  EXPECT_EQ(duration_text(0.04), "0.0 s");
  EXPECT_EQ(duration_text(9.94), "9.9 s");
  EXPECT_EQ(duration_text(9.96), "10 s");
  EXPECT_EQ(duration_text(59.6), "1 min 00 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(3725), "1 h 02 min");
}

TEST(Output, CountsInTheSingularAndThePlural) {
  EXPECT_EQ(plural(1, "row"), "1 row");
  EXPECT_EQ(plural(0, "row"), "0 rows");
  EXPECT_EQ(plural(1200, "row"), "1,200 rows");
}

TEST(Output, CutsLongLists) {
  EXPECT_EQ(short_list({"a", "b"}, 2), "a, b");
  EXPECT_EQ(short_list({"a", "b", "c", "d"}, 2), "a, b and 2 more");
}

TEST(TextTable, AlignsByCharactersNotByBytes) {
  TextTable table({"name", "n"}, "lr");
  table.add({"M\u00fcnchen", "5"});
  table.add({"Rome", "12"});
  EXPECT_EQ(table.text(), "  name      n\n  M\u00fcnchen   5\n  Rome     12\n");
}

}  // namespace
}  // namespace knockout::cli
