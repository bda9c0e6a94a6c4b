// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <gtest/gtest.h>

#include "knockout/report/text.h"

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

TEST(TextTable, BreaksWordsOfTheWidestColumnWhereALineIsTooLong) {
  TextTable table({"name", "n", "what it is"}, "lrl");
  table.add({"a", "5", "one two three four five"});
  EXPECT_EQ(table.text(27),
            "  name  n  what it is\n"
            "  a     5  one two three\n"
            "           four five\n");
  EXPECT_EQ(table.text(std::nullopt),
            "  name  n  what it is\n"
            "  a     5  one two three four five\n");
}

TEST(TextTable, LeavesOutTheLastColumnsAndSaysSo) {
  TextTable table({"name", "first", "second", "third"}, "lrrr");
  table.add({"a", "10000000", "20000000", "30000000"});
  EXPECT_EQ(table.text(28),
            "  name     first    second\n"
            "  a     10000000  20000000\n"
            "  ... 1 more column not\n"
            "  shown (third): a wider\n"
            "  window or --json has all\n");
}

TEST(TextTable, CutsASingleColumnThatIsTooWide) {
  TextTable table({"name"}, "l");
  table.add({"\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc"});
  EXPECT_EQ(table.text(6), "  name\n  \u00e4\u00f6\u00fc\u00e4\n  \u00f6\u00fc\n");
}

TEST(TextTable, NeverHasALineThatIsWiderThanAsked) {
  TextTable table({"one", "two", "three", "four"}, "llrl");
  for (int row = 0; row < 5; ++row) {
    table.add({std::string(row * 7 + 1, 'x'), "some words that go on and on", "123456",
               "\u65e5\u672c\u8a9e \u65e5\u672c\u8a9e \u65e5\u672c\u8a9e"});
  }
  for (std::size_t width = 20; width < 90; ++width) {
    const std::string text = table.text(width);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      EXPECT_LE(report::display_width(text.substr(begin, end - begin)), width) << text;
      begin = end + 1;
    }
  }
}

TEST(Printable, KeepsLinesAndDropsWhatSteersATerminal) {
  EXPECT_EQ(printable("a\n\x1b[31mb\tc\n"), "a\n\uFFFD[31mb c\n");
  EXPECT_EQ(printable("\xff\u202e\u00e9"), "\uFFFD\uFFFD\u00e9");
  EXPECT_EQ(printable(""), "");
}

}  // namespace
}  // namespace knockout::cli
