// SPDX-License-Identifier: Apache-2.0
// What stands around the table in files as programs write them, and what is said about it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

Table structured(const std::string& text, const CsvOptions& options = {}) {
  return read_csv_text(text, "t.csv", options);
}

Words codes_of(const Table& table) {
  Words codes;
  for (const Note& note : table.notes()) codes.push_back(note.code);
  return codes;
}

void expect_numbers(const Table& table, const std::string& name, const Numbers& expected) {
  const Column* const column = table.find(name);
  ASSERT_NE(column, nullptr) << name;
  EXPECT_EQ(listed(column->numbers()), expected) << name;
}

TEST(CsvStructure, SkipsATitleAboveTheHeader) {
  for (const std::string title :
       {"Report of 2020\n", "Report of 2020,,\n", "Report of 2020\n\nAll sites\n", ",Report,\n"}) {
    const Table table = structured(title + "a,b,c\n1,2,x\n3,4,y\n");
    EXPECT_EQ(table.names(), (Words{"a", "b", "c"})) << title;
    expect_numbers(table, "a", {1, 3});
    ASSERT_EQ(codes_of(table), (Words{"preamble"})) << title;
    EXPECT_NE(table.notes()[0].text.find("Report"), std::string::npos);
    EXPECT_NE(table.notes()[0].text.find("`has_header = yes`"), std::string::npos);
  }
  EXPECT_EQ(structured("Report\n\na,b\n1,2\n").where(0), "t.csv:4");
}

TEST(CsvStructure, SkipsLinesOfFewFieldsAboveALineThatCanOnlyBeAHeader) {
  const Table table =
      structured("Instrument,XY-100\nDate,2020-01-01\n\nid,mass,time,note\n1,2,3,x\n");
  EXPECT_EQ(table.names(), (Words{"id", "mass", "time", "note"}));
  EXPECT_EQ(codes_of(table), (Words{"preamble"}));
  // A line of numbers is no header: the first line is, and the rows are too long for it.
  EXPECT_THROW(structured("a,b\n1,2,3,4\n5,6,7,8\n"), DataError);
}

TEST(CsvStructure, FindsTheDelimiterBelowATitle) {
  const Table table = structured("Messwerte, Labor 3\na;b\n1,5;2\n2,5;3\n");
  EXPECT_EQ(table.names(), (Words{"a", "b"}));
  expect_numbers(table, "a", {1.5, 2.5});
}

TEST(CsvStructure, SkipsRemarks) {
  const Table table = structured("# made by a program\n#\n# units: kg\na,b\n1,2\n3,4\n");
  EXPECT_EQ(table.names(), (Words{"a", "b"}));
  EXPECT_EQ(codes_of(table), (Words{"preamble"}));
  EXPECT_EQ(structured("# one, two\nid,x\n1,2\n").names(), (Words{"id", "x"}));
  CsvOptions options;
  options.has_header = false;
  EXPECT_EQ(structured("# made by a program\n1,2\n3,4\n", options).rows(), 2U);
}

TEST(CsvStructure, KeepsAHeaderThatStartsLikeARemark) {
  const Table table = structured("#id,x\n1,2\n3,4\n");
  EXPECT_EQ(table.names(), (Words{"#id", "x"}));
  EXPECT_TRUE(table.notes().empty());
}

TEST(CsvStructure, TakesTheFirstLineForTheHeaderWhenTold) {
  CsvOptions options;
  options.has_header = true;
  EXPECT_THROW(structured("Report\na,b\n1,2\n", options), DataError);
}

TEST(CsvStructure, TakesNoRowForATitle) {
  const Table table = structured("a,b,c\n1,,\n2,,\n3,4,5\n");
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_TRUE(table.notes().empty());
  EXPECT_EQ(structured("note\nhello\ngood day\n").rows(), 2U);
  CsvOptions options;
  options.has_header = false;
  EXPECT_EQ(structured("5,,\n1,2,3\n1,2,3\n", options).rows(), 3U);
}

TEST(CsvStructure, ReadsATableAsPsqlPrintsIt) {
  const Table table =
      structured(" id |  name  \n----+--------\n  1 | Anna\n  2 | Bob\n(2 rows)\n\n");
  EXPECT_EQ(table.names(), (Words{"id", "name"}));
  expect_numbers(table, "id", {1, 2});
  EXPECT_EQ(codes_of(table), (Words{"preamble", "footer"}));
  EXPECT_EQ(table.where(0), "t.csv:3");
  EXPECT_EQ(structured(" id \n----\n  1\n(1 row)\n").rows(), 1U);
}

TEST(CsvStructure, ReadsATableInABox) {
  const Table table =
      structured("+---+---+\n| a | b |\n+---+---+\n| 1 | x |\n| 2 | y |\n+---+---+\n");
  EXPECT_EQ(table.names(), (Words{"a", "b"}));
  expect_numbers(table, "a", {1, 2});
  const Table markdown = structured("| a | b |\n|---|---|\n| 1 | x |\n| 2 | y |\n");
  EXPECT_EQ(markdown.names(), (Words{"a", "b"}));
  EXPECT_EQ(markdown.rows(), 2U);
}

TEST(CsvStructure, KeepsCellsOfASingleColumnThatLookLikeAFooter) {
  EXPECT_EQ(structured("a\nx\n(5 rows)\n").rows(), 2U);
  EXPECT_EQ(structured("a\n---\nx\n").rows(), 2U);
}

TEST(CsvStructure, SetsAnUnnamedFirstColumnOfRowNamesAside) {
  for (const std::string text : {",a,b\n0,1,2\n1,3,4\n", "\"\",\"a\",\"b\"\n\"x\",1,2\n\"y\",3,4\n",
                                 ",a,b\n7,1,2\n3,3,4\n"}) {
    const Table table = structured(text);
    EXPECT_EQ(table.names(), (Words{"a", "b"})) << text;
    expect_numbers(table, "a", {1, 3});
    ASSERT_EQ(codes_of(table), (Words{"row_names"})) << text;
  }
  EXPECT_EQ(structured("\"\",\"x\"\n\"1\",5\n\"2\",6\n").names(), (Words{"x"}));
}

TEST(CsvStructure, KeepsAnUnnamedFirstColumnWithEqualCells) {
  const Table table = structured(",a\nx,1\nx,2\n");
  EXPECT_EQ(table.names(), (Words{"column_1", "a"}));
  ASSERT_EQ(codes_of(table), (Words{"unnamed_column"}));
  EXPECT_EQ(table.notes()[0].column, "column_1");
}

TEST(CsvStructure, LooksForEqualRowNamesInTheWholeFile) {
  std::string text = ",a\n";
  for (int i = 0; i < 5000; ++i) text += "r" + std::to_string(i) + ",1\n";
  EXPECT_EQ(structured(text).names(), (Words{"a"}));
  EXPECT_EQ(structured(text + "r17,1\n").names(), (Words{"column_1", "a"}));
}

TEST(CsvStructure, SetsTheRowNamesOfRAsideWhenTheHeaderIsOneFieldShorter) {
  const Table table = structured("\"a\",\"b\"\n\"r1\",1,2\n\"r2\",3,4\n");
  EXPECT_EQ(table.names(), (Words{"a", "b"}));
  expect_numbers(table, "a", {1, 3});
  EXPECT_EQ(codes_of(table), (Words{"row_names"}));
  const Table blanks = structured("\"a\" \"b\"\n\"1\" 1 \"x y\"\n\"2\" 3 \"z\"\n");
  EXPECT_EQ(blanks.names(), (Words{"a", "b"}));
  expect_numbers(blanks, "a", {1, 3});
  const Table tabs = structured("x\nr1\t5\nr2\t6\n");
  expect_numbers(tabs, "x", {5, 6});
}

TEST(CsvStructure, RefusesALongerRecordWhereFirstFieldsAreNoRowNames) {
  EXPECT_THROW(structured("a,b\nx,1,2\nx,3,4\n"), DataError);
  EXPECT_THROW(structured("a,b\nx,1,2\ny,3\n"), DataError);
  EXPECT_THROW(structured("note\nhello, you\nyes, me\n"), DataError);
}

TEST(CsvStructure, DropsUnnamedColumnsWithoutAValue) {
  const Table table = structured("a,b,,\n1,2,,\n3,4,,\n");
  EXPECT_EQ(table.names(), (Words{"a", "b"}));
  ASSERT_EQ(codes_of(table), (Words{"empty_columns"}));
  EXPECT_NE(table.notes()[0].text.find("3, 4"), std::string::npos);
  EXPECT_EQ(structured("a,,b\n1,,2\n").names(), (Words{"a", "b"}));
}

TEST(CsvStructure, DropsTheColumnThatADelimiterAtTheEndOfLinesMakes) {
  for (const std::string text : {"a,b,\n1,2,\n3,4,\n", "a,b\n1,2,\n3,4,\n"}) {
    const Table table = structured(text);
    EXPECT_EQ(table.names(), (Words{"a", "b"})) << text;
    expect_numbers(table, "a", {1, 3});
    EXPECT_EQ(codes_of(table), (Words{"empty_columns"})) << text;
  }
  EXPECT_EQ(structured("a,\n1,\n2,\n").names(), (Words{"a"}));
}

TEST(CsvStructure, NamesColumnsThatHaveNoName) {
  const Table table = structured("a,,column_2, \n1,x,3,4\n");
  EXPECT_EQ(table.names(), (Words{"a", "column_2.1", "column_2", "column_4"}));
  EXPECT_EQ(codes_of(table), (Words{"unnamed_column", "unnamed_column"}));
}

TEST(CsvStructure, TellsColumnsOfOneNameApart) {
  const Table table = structured("x,x,y,x,x.2,x\n1,2,3,4,5,6\n");
  EXPECT_EQ(table.names(), (Words{"x", "x.1", "y", "x.3", "x.2", "x.4"}));
  EXPECT_EQ(codes_of(table), (Words(3, "repeated_name")));
  EXPECT_EQ(table.notes()[0].column, "x.1");
}

TEST(CsvStructure, SetsALineOfUnitsAside) {
  const Table table = structured("id,mass,height\n,kg,cm\n1,70,170\n2,80,180\n");
  expect_numbers(table, "mass", {70, 80});
  ASSERT_EQ(codes_of(table), (Words{"units_row"}));
  EXPECT_NE(table.notes()[0].text.find("Line 2"), std::string::npos);
  EXPECT_NE(table.notes()[0].text.find("\"kg\" for \"mass\""), std::string::npos);
  EXPECT_EQ(table.where(0), "t.csv:3");
}

TEST(CsvStructure, TakesNoRowForALineOfUnits) {
  for (const std::string text : {"a,b,c\nn/k,n/k,x\n1,2,y\n3,4,z\n",  // usual ways to say missing
                                 "a,b,c\nkg,5,x\n1,2,y\n3,4,z\n",     // a number in it
                                 "a,b,c\nkg,x,y\n1,x,z\n2,y,z\n",     // one column of numbers alone
                                 "a,b\nx,y\n1,z\n3,4\n",              // other words below
                                 "a,b\nx,y\n1,2\n",                   // one row to compare with
                                 "a,b,c\nkg,cm,NA\n1,2,y\n3,4,z\n"}) {  // a gap word
    EXPECT_TRUE(codes_of(structured(text)).empty()) << text;
  }
}

TEST(CsvStructure, SetsLongNamesAndUnitsBelowTheHeaderAside) {
  const Table table = structured(
      "q1,q2,when\nHow many?,How old?,Date\npieces,years,\n3,41,2020-01-01\n4,52,2020-01-02\n");
  expect_numbers(table, "q1", {3, 4});
  ASSERT_EQ(codes_of(table), (Words{"units_row"}));
  EXPECT_NE(table.notes()[0].text.find("Lines 2 and 3"), std::string::npos);
}

TEST(CsvStructure, SetsALineOfUnitsWithEmptyCellsAside) {
  const Table table = structured("id,dose,arm\n,mg,\n7,1.5,a\n8,2.5,b\n");
  expect_numbers(table, "dose", {1.5, 2.5});
  EXPECT_EQ(codes_of(table), (Words{"units_row"}));
  // "a" is an arm that others have too: a row whose dose is odd, and no line of units.
  EXPECT_EQ(structured("id,dose,arm\n,mg,a\n7,1.5,a\n8,2.5,b\n").rows(), 3U);
}

TEST(CsvStructure, SkipsALoggersLineThatIsLongerThanTheTable) {
  const Table table = structured("TOA5,Ridge,CR1000,4711\ntime,volt,temp\n1,2.5,3\n2,2.6,4\n");
  EXPECT_EQ(table.names(), (Words{"time", "volt", "temp"}));
  EXPECT_EQ(codes_of(table), (Words{"preamble"}));
}

TEST(CsvStructure, PrefersTheDelimiterOfTheFirstLine) {
  const Table table = structured("shop;sales;temp\nA;13,5 EUR;5,0\nB;14,5 EUR;6,5\n");
  EXPECT_EQ(table.names(), (Words{"shop", "sales", "temp"}));
}

TEST(CsvStructure, SetsSumsAndSourcesBelowTheTableAside) {
  const std::string rows = "kind,n\ndesk,3\nlamp,4\n";
  for (const std::string footer : {"Total,7\n", "Grand total:,7\n", "Source: city archive\n",
                                   "\nSource: city archive\nAll rights reserved,\n"}) {
    const Table table = structured(rows + footer);
    EXPECT_EQ(table.rows(), 2U) << footer;
    EXPECT_EQ(codes_of(table), (Words{"footer"})) << footer;
  }
  // What may be a row that was cut off stays an error; totals among the kinds are rows.
  EXPECT_THROW(structured(rows + "chair\n"), DataError);
  EXPECT_EQ(structured("kind,n\nTotal,3\nlamp,4\nTotal,4\n").rows(), 3U);
}

TEST(CsvStructure, ReadsColumnsThatAreAlignedWithBlanks) {
  const Table table =
      structured("station   ozone  temp\nKEW         389  -2.5\nFARADAY     284  3.25\n");
  EXPECT_EQ(table.names(), (Words{"station", "ozone", "temp"}));
  expect_numbers(table, "temp", {-2.5, 3.25});
  // Texts of equally many words are no columns.
  EXPECT_EQ(structured("what they said\nvery  good indeed\nso so  really\n").column_count(), 1U);
}

TEST(CsvStructure, LeavesOutLinesThatRepeatTheHeader) {
  const Table table = structured("a,b\n1,x\na,b\n2,y\na,b\n3,x\n");
  expect_numbers(table, "a", {1, 2, 3});
  EXPECT_EQ(table.where(1), "t.csv:4");
  ASSERT_EQ(codes_of(table), (Words{"repeated_header"}));
  EXPECT_NE(table.notes()[0].text.find("2 lines repeat the header, the first on line 3"),
            std::string::npos);
  // The user's word counts, and a row that only begins like the header is one.
  CsvOptions options;
  options.has_header = true;
  EXPECT_EQ(structured("a,b\n1,x\na,b\n", options).rows(), 2U);
  EXPECT_EQ(structured("a,b\nx,y\na,bc\n").rows(), 2U);
  // A blank line would be a cell here.
  EXPECT_EQ(structured("a\nx\na\n").rows(), 2U);
  EXPECT_EQ(structured("n 2020\nx 5\nn 2020\ny 6\n", {.delimiter = ' '}).rows(), 2U);
}

TEST(CsvStructure, SeesThatTheFirstLineIsARow) {
  const Table table = structured("F,3.5,Bonn\nM,4.5,Kiel\nF,5.5,Bonn\n");
  EXPECT_EQ(table.names(), (Words{"column_1", "column_2", "column_3"}));
  expect_numbers(table, "column_2", {3.5, 4.5, 5.5});
  ASSERT_EQ(codes_of(table), (Words{"no_header"}));
  EXPECT_NE(table.notes()[0].text.find("`has_header = yes`"), std::string::npos);
  CsvOptions options;
  options.has_header = true;
  const Table said = structured("F,3.5,Bonn\nM,4.5,Kiel\nF,5.5,Bonn\n", options);
  EXPECT_EQ(said.rows(), 2U);
  EXPECT_EQ(codes_of(said), (Words{}));
  // Years are names, whatever stands below; a gap that recurs is no word; a header may be repeated.
  EXPECT_EQ(structured("area,2019,2020\neast,2019,5\nwest,7,8\n").rows(), 2U);
  EXPECT_EQ(structured("NA,2019\nNA,5\nx,6\n").rows(), 2U);
  EXPECT_EQ(structured("area,2019\neast,5\narea,2019\nwest,6\n").rows(), 2U);
}

TEST(CsvStructure, TakesAwayTheFrameOfMysql) {
  const std::string frame = "+----+------+\n";
  const Table table =
      structured(frame + "| id | kind |\n" + frame + "|  1 | x    |\n|  2 | NULL |\n" + frame +
                 "2 rows in set (0.00 sec)\n");
  EXPECT_EQ(table.names(), (Words{"id", "kind"}));
  expect_numbers(table, "id", {1, 2});
  EXPECT_EQ(table.where(0), "t.csv:4");
  EXPECT_EQ(codes_of(table), (Words{"preamble"}));
}

TEST(CsvStructure, SkipsRemarksAfterAPercentSign) {
  const Table table = structured("% made by a script\n  t    v\n  0  1.5\n  1  2.5\n");
  EXPECT_EQ(table.names(), (Words{"t", "v"}));
  expect_numbers(table, "v", {1.5, 2.5});
  EXPECT_EQ(codes_of(table), (Words{"preamble"}));
  EXPECT_EQ(structured("% fat,kind\n1,x\n2,y\n").names(), (Words{"% fat", "kind"}));
}

TEST(CsvStructure, EndsAtACtrlZ) {
  for (const std::string end : {"\x1A", "\n\x1A", "\r\n\x1A\x1A", "\n\x1A\n"}) {
    EXPECT_EQ(structured("a,b\n1,2\n3,4" + end).rows(), 2U) << end;
  }
}

TEST(CsvStructure, TellsOfClassesThatWereTakenAsMissing) {
  CsvOptions options;
  options.class_columns = {"y"};
  const Table table = structured("x,y\n1,EU\n2,NA\n3,NA\n4,AP\n5,\n", options);
  ASSERT_EQ(codes_of(table), (Words{"label_is_missing"}));
  EXPECT_NE(table.notes()[0].text.find("\"NA\" (2 cells)"), std::string::npos);
  EXPECT_EQ(codes_of(structured("x,y\n1,5\n2,NA\n3,6\n", options)), (Words{}));
  EXPECT_EQ(codes_of(structured("x,y\n1,EU\n2,NA\n")), (Words{}));
}

TEST(CsvStructure, GivesTheSameStructureForAnyThreadsAndChunks) {
  std::string text = ",a,,b,\n";
  for (int i = 0; i < 3000; ++i) {
    text += "\"r\n" + std::to_string(i) + "\",1," + (i == 2900 ? "x" : "") + ",\"2\",\n";
  }
  CsvOptions options;
  options.threads = 1;
  const Table expected = structured(text, options);
  EXPECT_EQ(expected.names(), (Words{"a", "column_3", "b"}));
  EXPECT_EQ(codes_of(expected), (Words{"row_names", "unnamed_column", "empty_columns"}));
  for (const int threads : {2, 3, 8}) {
    for (const std::size_t chunk_bytes : {1U, 100U, 10'000U}) {
      options.threads = threads;
      options.chunk_bytes = chunk_bytes;
      const Table table = structured(text, options);
      EXPECT_EQ(table.names(), expected.names());
      EXPECT_EQ(texts_of(table.notes()), texts_of(expected.notes()));
    }
  }
}

}  // namespace
}  // namespace knockout
