// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_cells.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "knockout/base/error.h"

namespace knockout {
namespace {

using Place = std::pair<std::uint64_t, std::string>;  // line and column

std::string emptied(std::string_view text, const std::set<Place>& places,
                    const CsvOptions& options = {}) {
  return empty_csv_cells(text, "test.csv", options, [&](const CsvCell& cell) {
    return places.contains({cell.line, std::string(cell.name)});
  });
}

TEST(CsvCells, KeepsEveryOtherByte) {
  const std::string text =
      "\xEF\xBB\xBF zip ;\"a \"\"b\"\"\"; x\r\n\r\n03484;\"1,5\";  +2.50 \r\n"
      "\t\r\n12345678901234567;NA;\"two\nlines\"\r\n";
  EXPECT_EQ(emptied(text, {}), text);
  EXPECT_EQ(emptied(text, {{3, "a \"b\""}, {5, "x"}}),
            "\xEF\xBB\xBF zip ;\"a \"\"b\"\"\"; x\r\n\r\n03484;;  +2.50 \r\n"
            "\t\r\n12345678901234567;NA;\r\n");
}

TEST(CsvCells, AsksOfEveryCellInOrder) {
  std::vector<std::string> asked;
  empty_csv_cells("a,b\n1,\"x\ny\"\n\n\"2\",", "test.csv", {}, [&](const CsvCell& cell) {
    asked.push_back(std::to_string(cell.line) + std::string(cell.name));
    EXPECT_EQ(cell.column, cell.name == "a" ? 0U : 1U);
    return false;
  });
  EXPECT_EQ(asked, (std::vector<std::string>{"2a", "2b", "5a", "5b"}));
}

TEST(CsvCells, KeepsALastLineWithoutAnEnd) {
  EXPECT_EQ(emptied("a,b\n1,2\n3,4", {{3, "b"}}), "a,b\n1,2\n3,");
  EXPECT_EQ(emptied("a,b\n1,2\n3,4", {{3, "a"}}), "a,b\n1,2\n,4");
}

TEST(CsvOffsets, CountCharactersWhereTheyWereABytesEach) {
  const std::string original = "a\xE9,b\n\x80,2\n", clean = "a\u00e9,b\n\u20ac,2\n";
  CsvOffsets offset_of(original, clean);
  ASSERT_TRUE(offset_of.is_known());
  EXPECT_EQ(offset_of(clean.data() + clean.find('b')), original.find('b'));
  EXPECT_EQ(offset_of(clean.data() + clean.find('2')), original.find('2'));
}

TEST(CsvOffsets, SkipAByteOrderMarkAndAreUnknownInWideEncodings) {
  const std::string text = "a,b\r1,2\r", clean = "a,b\n1,2\n", marked = "\xEF\xBB\xBF" + text;
  CsvOffsets offset_of(marked, clean);
  ASSERT_TRUE(offset_of.is_known());
  EXPECT_EQ(offset_of(clean.data() + 4), 7U);
  const std::string wide("a\0,\0b\0\n\0", 8);
  EXPECT_FALSE(CsvOffsets(wide, "a,b\n").is_known());
}

TEST(CsvCells, KnowsOldMacintoshLineEnds) {
  EXPECT_EQ(emptied("a,b\r1,2\r3,4\r", {{2, "b"}, {3, "a"}}), "a,b\r1,\r,4\r");
}

TEST(CsvCells, WritesQuotesWhereALineWouldBecomeBlank) {
  EXPECT_EQ(emptied("a\n1\n2\r\n3", {{2, "a"}, {3, "a"}, {4, "a"}}), "a\n\"\"\n\"\"\r\n\"\"");
  EXPECT_EQ(emptied("a\n1\n\n2\n\n\n", {{4, "a"}}), "a\n1\n\n\"\"\n\n\n");
}

TEST(CsvCells, HasNoCellsWithoutRows) {
  EXPECT_EQ(emptied("a,b\n", {{2, "a"}}), "a,b\n");
  EXPECT_EQ(emptied("a", {{1, "a"}}), "a");
  EXPECT_EQ(emptied("1,2\n3,4\n", {{1, "column_1"}}, {.has_header = false}), ",2\n3,4\n");
}

TEST(CsvCells, RefusesRaggedRecords) {
  EXPECT_THROW(emptied("a,b\n1\n", {}), DataError);
  EXPECT_THROW(emptied("a,b\n1,\"2\n", {}), DataError);
}

}  // namespace
}  // namespace knockout
