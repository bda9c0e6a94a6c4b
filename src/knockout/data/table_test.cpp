// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "knockout/base/error.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

Column number_column(const std::string& name, std::vector<double> numbers) {
  return Column::numbers(name, std::move(numbers));
}

Column word_column() { return Column::coded("sex", {1, -1, 0}, {"m", "f"}); }

Table example() { return Table({number_column("age", {1, 2, 3}), word_column()}, "people.csv"); }

TEST(Table, FindsColumnsByName) {
  const Table table = example();
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.find("sex"), &table.column(1));
  EXPECT_EQ(table.find("Sex"), nullptr);
  EXPECT_EQ(table.names(), (std::vector<std::string>{"age", "sex"}));
}

TEST(Table, SuggestsTheNearestNameForAnUnknownOne) {
  const Table table = example();
  try {
    table.at("agee");
    FAIL() << "found a column that is not there";
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("people.csv"), std::string::npos) << message;
    EXPECT_NE(message.find("Did you mean \"age\"?"), std::string::npos) << message;
  }
}

TEST(Table, RefusesTwoColumnsOfOneName) {
  EXPECT_THROW(Table({number_column("a", {1}), number_column("a", {2})}), DataError);
  Table table = example();
  EXPECT_THROW(table.add_column(number_column("age", {1, 2, 3})), DataError);
}

TEST(Table, RefusesColumnsOfDifferentLength) {
  EXPECT_THROW(Table({number_column("a", {1}), number_column("b", {2, 3})}), DataError);
  Table table = example();
  EXPECT_THROW(table.add_column(number_column("b", {1})), DataError);
}

TEST(Table, TakesRowsInTheGivenOrderAndKeepsCodesAndLines) {
  const Table taken = example().take_rows({2, 0});
  EXPECT_EQ(listed(taken.at("age").numbers()), (std::vector<double>{3, 1}));
  EXPECT_EQ(listed(taken.at("sex").codes()), (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(listed(taken.at("sex").words()), (std::vector<std::string>{"m", "f"}));
  EXPECT_EQ(taken.where(0), "people.csv:4");
  EXPECT_EQ(taken.take_rows({1}).where(0), "people.csv:2");
}

TEST(Table, SaysWhereARowStands) {
  Table table = example();
  EXPECT_EQ(table.where(0), "people.csv:2");
  table.set_row_lines({2, 5, 9});
  EXPECT_EQ(table.where(2), "people.csv:9");
  EXPECT_EQ(Table({number_column("a", {1, 2})}).where(1), "row 2");
  Table matrix({number_column("a", {1, 2})}, "a.npy");
  matrix.set_rows_are_lines(false);
  EXPECT_EQ(matrix.where(1), "a.npy, row 2");
}

TEST(Table, KeepsItsRowsWhenTheLastColumnGoes) {
  Table table({number_column("a", {1, 2})});
  EXPECT_TRUE(table.remove_column("a"));
  EXPECT_FALSE(table.remove_column("a"));
  EXPECT_EQ(table.column_count(), 0U);
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.take_rows({1}).rows(), 1U);
  EXPECT_THROW(table.add_column(number_column("b", {1})), DataError);
}

TEST(Table, TakesItsRowsFromTheFirstColumnAdded) {
  Table table;
  table.add_column(number_column("a", {1, 2}));
  EXPECT_EQ(table.rows(), 2U);
}

TEST(Table, CannotBeMadeRagged) {
  Table table = example();
  EXPECT_THROW(table.replace_column(number_column("age", {1, 2})), DataError);
  EXPECT_THROW(table.replace_column(number_column("height", {1, 2, 3})), DataError);
  EXPECT_THROW(table.replace_columns({number_column("a", {1, 2, 3}), number_column("b", {1})}),
               DataError);
  EXPECT_THROW(table.replace_columns({number_column("a", {1, 2})}), DataError);
  EXPECT_THROW(table.replace_columns({word_column(), word_column()}), DataError);
  EXPECT_THROW(table.set_row_lines({2, 3}), DataError);
  EXPECT_EQ(table.column(0), number_column("age", {1, 2, 3}));
  EXPECT_EQ(table.column(1), word_column());
}

TEST(Table, ReplacesColumnsAndRemembersWhereRowsStand) {
  Table table = example().take_rows({0, 2});
  table.replace_column(number_column("sex", {0, 1}));
  EXPECT_EQ(table.column(1), number_column("sex", {0, 1}));
  std::vector<Column> taken = table.take_columns();
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.column_count(), 0U);
  taken.pop_back();
  table.replace_columns(std::move(taken));
  EXPECT_EQ(table.names(), (std::vector<std::string>{"age"}));
  EXPECT_EQ(table.where(1), "people.csv:4");
}

TEST(Table, EmptiesACell) {
  Table table = example();
  table.set_missing(1, 0);
  table.set_missing(2, 1, kReason);
  EXPECT_EQ(table.column(0), number_column("age", {1, NAN, 3}));
  EXPECT_EQ(listed(table.column(1).codes()), (std::vector<std::int32_t>{1, -1, -1}));
  EXPECT_EQ(table.column(1).state(2), kReason);
  EXPECT_THROW(table.set_missing(3, 0), std::out_of_range);
  EXPECT_THROW(table.set_missing(0, 2), std::out_of_range);
}

TEST(Table, FindsEachOfManyColumnsAlsoAfterChanges) {
  std::vector<Column> columns;
  for (int i = 0; i < 300; ++i)
    columns.push_back(number_column("c" + std::to_string(i), {static_cast<double>(i)}));
  Table table(std::move(columns));
  const auto expect_found = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      const Column* const column = table.find("c" + std::to_string(i));
      ASSERT_NE(column, nullptr) << i;
      EXPECT_EQ(column->number(0), i);
    }
  };
  expect_found(0, 300);
  EXPECT_EQ(table.find("c300"), nullptr);
  table.add_column(number_column("c300", {300}));
  expect_found(0, 301);
  EXPECT_TRUE(table.remove_column("c0"));  // all others move up
  EXPECT_EQ(table.find("c0"), nullptr);
  expect_found(1, 301);
}

}  // namespace
}  // namespace knockout
