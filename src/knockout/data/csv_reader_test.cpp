// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_reader.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "knockout/base/error.h"
#include "knockout/data/csv_writer.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

using Numbers = std::vector<double>;
using States = std::vector<CellState>;
using Words = std::vector<std::string>;

Table read(const std::string& text, const CsvOptions& options = {}) {
  return read_csv_text(text, "t.csv", options);
}

/// The words of a text column row by row, "" for a gap.
Words cells(const Column& column) {
  Words cells;
  for (const std::int32_t code : column.codes()) {
    cells.push_back(code < 0 ? "" : column.words()[static_cast<std::size_t>(code)]);
  }
  return cells;
}

TEST(CsvReader, ReadsNumbersAndWords) {
  const Table table = read("age,sex\n30,m\n41.5,f\n,m\n");
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(listed(table.at("age").numbers()), (Numbers{30, 41.5, 0}));
  EXPECT_EQ(listed(table.at("age").states()), (States{kObserved, kObserved, kMissing}));
  EXPECT_TRUE(table.at("sex").is_text());
  EXPECT_EQ(listed(table.at("sex").words()), (Words{"m", "f"}));
  EXPECT_EQ(listed(table.at("sex").codes()), (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(table.source(), "t.csv");
}

TEST(CsvReader, ReadsEveryLineEnd) {
  for (const std::string end : {"\n", "\r\n", "\r", "\r\r\n"}) {
    for (const bool last : {true, false}) {
      const Table table = read("a,b" + end + "1,x" + end + "2,y" + (last ? end : ""));
      EXPECT_EQ(listed(table.at("a").numbers()), (Numbers{1, 2}));
      EXPECT_EQ(cells(table.at("b")), (Words{"x", "y"}));
    }
  }
}

TEST(CsvReader, ReadsQuotedCells) {
  const Table table = read(
      "n,\"a \"\"b\"\"\"\n1,\"x,y\"\n2,\"two\nlines\"\n3,\"say \"\"hi\"\"\"\n"
      "4,  \" kept \"  \n");
  EXPECT_EQ(table.names(), (Words{"n", "a \"b\""}));
  EXPECT_EQ(cells(table.column(1)), (Words{"x,y", "two\nlines", "say \"hi\"", " kept "}));
  EXPECT_EQ(table.where(1), "t.csv:3");
  EXPECT_EQ(table.where(2), "t.csv:5");
}

TEST(CsvReader, LeavesAQuoteWithinACellAlone) {
  EXPECT_EQ(cells(read("n,a\n1,5\" pipe\n2,a \"b\" c\n").at("a")),
            (Words{"5\" pipe", "a \"b\" c"}));
}

TEST(CsvReader, IgnoresBlanksAroundCells) {
  const Table table = read(" a , b \n 1 ,\tx \n\t2, y\n  ,   \n");
  EXPECT_EQ(table.names(), (Words{"a", "b"}));
  EXPECT_EQ(listed(table.at("a").numbers()), (Numbers{1, 2, 0}));
  EXPECT_EQ(cells(table.at("b")), (Words{"x", "y", ""}));
}

TEST(CsvReader, SkipsAByteOrderMark) {
  EXPECT_EQ(read("\xEF\xBB\xBF"
                 "a,b\n1,2\n")
                .names(),
            (Words{"a", "b"}));
}

TEST(CsvReader, FindsTheDelimiter) {
  for (const std::string delimiter : {",", ";", "\t", "|"}) {
    const std::string d = delimiter;
    const Table table = read("a" + d + "b" + d + "c\n1" + d + "x y" + d + "\n" + d + d + "3\n");
    EXPECT_EQ(table.names(), (Words{"a", "b", "c"})) << d;
    EXPECT_EQ(table.rows(), 2U) << d;
  }
}

TEST(CsvReader, FindsTheDelimiterDespiteCommasInNames) {
  const Table table = read("weight, kg;height, m\n70,5;1,8\n80;1,75\n");
  EXPECT_EQ(table.names(), (Words{"weight, kg", "height, m"}));
  EXPECT_EQ(listed(table.column(0).numbers()), (Numbers{70.5, 80}));
}

TEST(CsvReader, FollowsTheSeparatorLineOfExcel) {
  const Table table = read("sep=;\r\na,x;b\r\n1;2\r\n");
  EXPECT_EQ(table.names(), (Words{"a,x", "b"}));
  EXPECT_EQ(table.where(0), "t.csv:3");
}

TEST(CsvReader, ReadsDecimalCommasWhereColumnsAreWrittenSo) {
  const Table table = read("a;b;c\n1,5;2;x\n-,25;3;y\n");
  EXPECT_EQ(listed(table.at("a").numbers()), (Numbers{1.5, -0.25}));
  EXPECT_EQ(listed(table.at("b").numbers()), (Numbers{2, 3}));
  EXPECT_EQ(listed(read("a,b\n\"1,5\",2\n").at("a").numbers()), (Numbers{1.5}));
  EXPECT_EQ(listed(read("a;b\n1,234;2\n").at("a").numbers()), (Numbers{1.234}));
}

TEST(CsvReader, TellsAQuotedDecimalCommaFromADelimiter) {
  const Table table = read("a,b\n\"1,5\",2\n3,4\n5,\"6,5\"\n");
  EXPECT_EQ(listed(table.at("a").numbers()), (Numbers{1.5, 3, 5}));
  EXPECT_EQ(listed(table.at("b").numbers()), (Numbers{2, 4, 6.5}));
}

TEST(CsvReader, ReadsAPointAndACommaInColumnsOfTheirOwn) {
  const Table table = read("a;b\n1,5;2.5\n2,5;3.5\n");
  EXPECT_EQ(listed(table.at("a").numbers()), (Numbers{1.5, 2.5}));
  EXPECT_EQ(listed(table.at("b").numbers()), (Numbers{2.5, 3.5}));
}

TEST(CsvReader, FollowsAGivenDecimalMark) {
  CsvOptions options;
  options.decimal_mark = ',';
  EXPECT_EQ(listed(read("a,b\n\"1,234\",2\n", options).at("a").numbers()), (Numbers{1.234}));
}

TEST(CsvReader, KnowsTheWordsForMissing) {
  const Table table =
      read("x,w\nNA,a\nN/A,\nNaN,NA\nnull,None\n?,b\n#N/A,\"\"\n\"\",\" \"\n 5 ,c\n");
  EXPECT_FALSE(table.at("x").is_text());
  EXPECT_EQ(listed(table.at("x").states()), (States{kMissing, kMissing, kMissing, kMissing,
                                                    kMissing, kMissing, kMissing, kObserved}));
  EXPECT_EQ(cells(table.at("w")), (Words{"a", "", "", "", "b", "", "", "c"}));
}

TEST(CsvReader, TakesGivenWordsForMissingEvenWhenTheyAreNumbers) {
  CsvOptions options;
  options.missing_words = {"-999", "n/k"};
  options.reason_words = {"<LOD", "-1"};
  const Table table = read("x,w\n-999,a\n3,-999\n<LOD,<LOD\n-1,n/k\nn/k,NA\n", options);
  EXPECT_EQ(listed(table.at("x").numbers()), (Numbers{0, 3, 0, 0, 0}));
  EXPECT_EQ(listed(table.at("x").states()),
            (States{kMissing, kObserved, kBelow, kReason, kMissing}));
  EXPECT_EQ(listed(table.at("w").states()),
            (States{kObserved, kMissing, kBelow, kMissing, kObserved}));
  EXPECT_EQ(cells(table.at("w")), (Words{"a", "", "", "", "NA"}));
}

TEST(CsvReader, TakesInfinityAsBeyondALimitInNumericColumns) {
  const Table table = read("x,w\ninf,inf\n-Infinity,a\n1,b\n");
  EXPECT_EQ(listed(table.at("x").states()), (States{kAbove, kBelow, kObserved}));
  EXPECT_EQ(cells(table.at("w")), (Words{"inf", "a", "b"}));
}

TEST(CsvReader, ReadsAsWordsWhatItIsAskedTo) {
  CsvOptions options;
  options.text_columns = {"code_*"};
  const Table table = read("code_a,x,y\n1.0,1,1\n1,2,2\n", options);
  EXPECT_EQ(cells(table.at("code_a")), (Words{"1.0", "1"}));
  EXPECT_FALSE(table.at("x").is_text());
  EXPECT_FALSE(table.at("y").is_text());
}

TEST(CsvReader, TakesANameWithAStarForThatColumnAlone) {
  CsvOptions options;
  options.text_columns = {"*ID"};
  const Table table = read("*ID,patient_ID\n1,2\n", options);
  EXPECT_TRUE(table.at("*ID").is_text());
  EXPECT_FALSE(table.at("patient_ID").is_text());
}

TEST(CsvReader, KeepsOnlyTheColumnsAskedForAndAllRows) {
  CsvOptions options;
  options.only_columns = {"b", "absent"};
  EXPECT_EQ(read("a,b\nx,1\ny,2\n", options).names(), (Words{"b"}));
  options.only_columns = std::vector<std::string>{};
  const Table none = read("a,b\nx,1\ny,2\n", options);
  EXPECT_EQ(none.column_count(), 0U);
  EXPECT_EQ(none.rows(), 2U);
}

TEST(CsvReader, SkipsBlankLines) {
  const Table table = read("\n  \na,b\n\n1,2\n \t \n\r\n3,4\n\n\n");
  EXPECT_EQ(listed(table.at("a").numbers()), (Numbers{1, 3}));
  EXPECT_EQ(table.where(0), "t.csv:5");
  EXPECT_EQ(table.where(1), "t.csv:8");
}

TEST(CsvReader, TakesBlankLinesOfASingleColumnAsGapsExceptAtTheEnd) {
  const Table table = read("a\n1\n\n3\n\"\"\n\n  \n");
  EXPECT_EQ(listed(table.at("a").states()), (States{kObserved, kMissing, kObserved, kMissing}));
}

TEST(CsvReader, KeepsARowOfTabsInATabbedFile) {
  const Table table = read("a\tb\n1\t2\n\t\n");
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(listed(table.at("b").states()), (States{kObserved, kMissing}));
}

TEST(CsvReader, GivesNoRowsForAHeaderAlone) {
  const Table table = read("a,b");
  EXPECT_EQ(table.names(), (Words{"a", "b"}));
  EXPECT_EQ(table.rows(), 0U);
}

TEST(CsvReader, TakesAWhollyEmptyColumnAsNumeric) {
  const Table table = read("a,b\n1,\n2,NA\n");
  EXPECT_FALSE(table.at("b").is_text());
  EXPECT_EQ(listed(table.at("b").numbers()), (Numbers{0, 0}));
  EXPECT_EQ(listed(table.at("b").states()), (States{kMissing, kMissing}));
}

TEST(CsvReader, DecidesAColumnByItsLateCellsWhenItsFirstRowsAreEmpty) {
  std::string text = "id,late,word,reason\n";
  for (int i = 0; i < 1500; ++i) text += std::to_string(i) + ",,,\n";
  text += "1500,2.5,x,inf\n1501,7,4,\n";
  const Table table = read(text);
  EXPECT_FALSE(table.at("late").is_text());
  EXPECT_EQ(table.at("late").number(1500), 2.5);
  EXPECT_EQ(table.at("late").number(1501), 7);
  EXPECT_EQ(table.at("late").state(0), kMissing);
  EXPECT_EQ(listed(table.at("word").words()), (Words{"x", "4"}));
  EXPECT_FALSE(table.at("reason").is_text());
  EXPECT_EQ(table.at("reason").state(1500), kAbove);
  EXPECT_EQ(table.at("reason").state(1501), kMissing);
}

TEST(CsvReader, SkipsColumnsWhateverTheyHold) {
  CsvOptions options;
  options.skip_columns = {"b", "x_*"};
  const Table table = read("a,b,x_1,c\n1,\"n\n/k\",3,5\n2,,word,6\n", options);
  EXPECT_EQ(table.names(), (Words{"a", "c"}));
  EXPECT_EQ(listed(table.at("c").numbers()), (Numbers{5, 6}));
}

TEST(CsvReader, ReadsTenThousandColumns) {
  constexpr std::size_t kColumns = 10'000;
  std::string header;
  std::string row;
  for (std::size_t i = 0; i < kColumns; ++i) {
    header += fmt::format("{}c{}", i == 0 ? "" : ",", i);
    row += fmt::format("{}{}", i == 0 ? "" : ",", i);
  }
  const Table table = read(header + "\n" + row + "\n" + row + "\n");
  ASSERT_EQ(table.column_count(), kColumns);
  for (std::size_t i = 0; i < kColumns; ++i) {
    ASSERT_EQ(listed(table.column(i).numbers()), (Numbers(2, static_cast<double>(i))));
  }
}

TEST(CsvReader, AcceptsTheNumberedHeaderOfPandas) {
  EXPECT_EQ(read("0,1,2\n5,6,7\n").names(), (Words{"0", "1", "2"}));
}

TEST(CsvReader, ReadsFilesWithoutAHeaderWhenTold) {
  CsvOptions options;
  options.has_header = false;
  const Table table = read("1,2\n3,4\n", options);
  EXPECT_EQ(table.names(), (Words{"column_1", "column_2"}));
  EXPECT_EQ(listed(table.at("column_1").numbers()), (Numbers{1, 3}));
  EXPECT_EQ(table.where(0), "t.csv:1");
  options.has_header = true;
  EXPECT_EQ(read("1990,2000\n3,4\n", options).names(), (Words{"1990", "2000"}));
}

TEST(CsvReader, MatchesStarsInNames) {
  EXPECT_TRUE(matches_pattern("vol_12", "vol_*"));
  EXPECT_TRUE(matches_pattern("vol_", "vol_*"));
  EXPECT_TRUE(matches_pattern("abcabd", "*ab*d"));
  EXPECT_TRUE(matches_pattern("", "**"));
  EXPECT_TRUE(matches_pattern("a*c", "a*c"));
  EXPECT_FALSE(matches_pattern("vol", "vol_*"));
  EXPECT_FALSE(matches_pattern("abcabc", "*ab*d"));
  EXPECT_FALSE(matches_pattern("Age", "age"));
  EXPECT_FALSE(matches_pattern("a", ""));
}

TEST(CsvReader, ReadsEveryTableAtHandAndWritesItBack) {
  const char* const given = std::getenv("KNOCKOUT_SHARED_DATA");
  const fs::path root = given != nullptr
                            ? fs::path(given)
                            : fs::path(__FILE__).parent_path() / "../../../../shared/data";
  const fs::path folder = root / "tabular";
  if (!fs::is_directory(folder)) GTEST_SKIP() << "no tables in " << folder;
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".csv") continue;
    ++files;
    const Table table = read_csv(entry.path());
    EXPECT_GT(table.rows(), 20U) << entry.path();
    EXPECT_EQ(CsvText::load(entry.path()).names(), table.names());
    CsvOptions options;
    for (const Column& column : table.columns()) {
      if (column.is_text()) options.text_columns.push_back(column.name());
    }
    const Table again = read_csv_text(write_csv_text(table), entry.path(), options);
    ASSERT_EQ(again.names(), table.names());
    for (std::size_t c = 0; c < table.column_count(); ++c) {
      EXPECT_EQ(listed(again.column(c).states()), listed(table.column(c).states())) << entry.path();
      EXPECT_EQ(listed(again.column(c).numbers()), listed(table.column(c).numbers()))
          << entry.path();
      EXPECT_EQ(listed(again.column(c).codes()), listed(table.column(c).codes())) << entry.path();
      EXPECT_EQ(listed(again.column(c).words()), listed(table.column(c).words())) << entry.path();
    }
  }
  EXPECT_GT(files, 0U);
}

}  // namespace
}  // namespace knockout
