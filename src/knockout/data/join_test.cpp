// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/join.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

Table patients() { return read_csv_text("age,bmi\n30,20\n40,25\n", "patients.csv"); }

TEST(JoinColumns, AppendsTheColumnsOfTheSecondTable) {
  Table table = patients();
  join_columns(table, read_csv_text("vol\n7\n8\n", "volumes.csv"));
  EXPECT_EQ(table.names(), (std::vector<std::string>{"age", "bmi", "vol"}));
  EXPECT_EQ(listed(table.at("vol").numbers()), (std::vector<double>{7, 8}));
  EXPECT_EQ(table.source(), "patients.csv");
}

TEST(JoinColumns, FillsATableThatHasRowsButNoColumns) {
  Table table({}, "patients.csv", 2);
  join_columns(table, read_csv_text("vol\n7\n8\n", "volumes.csv"));
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(listed(table.at("vol").numbers()), (std::vector<double>{7, 8}));
}

TEST(JoinColumns, NamesBothSourcesWhenTheRowsDiffer) {
  Table table = patients();
  try {
    join_columns(table, read_csv_text("vol\n7\n", "volumes.csv"));
    FAIL() << "no error";
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()).find("volumes.csv: 1 rows where patients.csv has 2."), 0U)
        << error.what();
  }
}

TEST(JoinColumns, RefusesANameThatIsTakenAndLeavesTheTableAsItWas) {
  Table table = patients();
  EXPECT_THROW(join_columns(table, read_csv_text("vol,bmi\n7,1\n8,2\n", "volumes.csv")), DataError);
  EXPECT_EQ(table.column_count(), 2U);
}

}  // namespace
}  // namespace knockout
