// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_header_levels.h"

#include <gtest/gtest.h>

#include "knockout/data/csv_reader.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

using LevelNames = std::vector<std::string>;

std::vector<std::string> note_codes_of(const Table& table) {
  std::vector<std::string> codes;
  for (const Note& note : table.notes()) codes.push_back(note.code);
  return codes;
}

TEST(CsvHeaderLevels, JoinTheColumnLevelsOfPandas) {
  const Table table = read_csv_text(
      ",price,price,volume\n,mean,std,sum\nsymbol,,,\nA,1.5,0.5,10\nB,2.5,0.25,20\n", "t.csv");
  EXPECT_EQ(table.names(), (LevelNames{"symbol", "price mean", "price std", "volume sum"}));
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(listed(table.at("price std").numbers()), (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(note_codes_of(table), (LevelNames{"header_levels"}));
}

TEST(CsvHeaderLevels, JoinNamesBelowMergedCells) {
  const Table table = read_csv_text(
      "Site,2019,,2020,\n,Count,Mean,Count,Mean\nA,5,1.5,6,1.25\nB,7,2.5,8,2.25\n", "t.csv");
  EXPECT_EQ(table.names(),
            (LevelNames{"Site", "2019 Count", "2019 Mean", "2020 Count", "2020 Mean"}));
  EXPECT_EQ(table.where(0), "t.csv:3");
}

TEST(CsvHeaderLevels, AreNotSeenInAHeaderOfOneLine) {
  for (const char* const text :
       {"a,b,c\nx,y,z\n1,2,3\n4,5,6\n",  // a line of units: all names differ
        "a,b,b\n1,2,3\n4,5,6\n7,8,9\n",  // two columns of one name
        "a,b,b\nx,y,z\nu,v,w\nr,s,t\n",  // words all over
        "a,b,,\nx,y,1,2\nu,v,3,4\n",     // spreadsheets' columns without a name
        "a,b,b\nx,same,same\n1,2,3\n4,5,6\n"}) {
    for (const std::string& code : note_codes_of(read_csv_text(text, "t.csv"))) {
      EXPECT_NE(code, "header_levels") << text;
    }
  }
}

TEST(CsvHeaderLevels, AreLeftAloneWhereTheHeaderIsSaidToBeOneLine) {
  CsvOptions options;
  options.has_header = true;
  const Table table = read_csv_text("a,b,b\nx,mean,std\ny,1,2\nz,3,4\n", "t.csv", options);
  EXPECT_EQ(table.names(), (LevelNames{"a", "b", "b.1"}));
}

TEST(CsvStructure, SkipsTheRulerAndTheCountOfSqlcmd) {
  const Table table = read_csv_text("id,dept\n--,----\n1,a\n2,b\n\n(2 rows affected)\n", "t.csv");
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(note_codes_of(table), (LevelNames{"preamble", "footer"}));
}

}  // namespace
}  // namespace knockout
