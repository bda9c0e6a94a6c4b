// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/table.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

Column number_column(const std::string& name, std::vector<double> numbers) {
  Column column;
  column.name = name;
  column.states.assign(numbers.size(), CellState::kObserved);
  column.numbers = std::move(numbers);
  return column;
}

Column word_column() {
  Column column;
  column.name = "sex";
  column.is_text = true;
  column.words = {"m", "f"};
  column.codes = {1, -1, 0};
  column.states = {CellState::kObserved, CellState::kMissing, CellState::kObserved};
  return column;
}

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
  EXPECT_EQ(taken.at("age").numbers, (std::vector<double>{3, 1}));
  EXPECT_EQ(taken.at("sex").codes, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(taken.at("sex").words, (std::vector<std::string>{"m", "f"}));
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

TEST(Table, FindsEachOfManyColumnsAlsoAfterChanges) {
  std::vector<Column> columns;
  for (int i = 0; i < 300; ++i)
    columns.push_back(number_column("c" + std::to_string(i), {static_cast<double>(i)}));
  Table table(std::move(columns));
  const auto expect_found = [&](int first, int last) {
    for (int i = first; i < last; ++i) {
      const Column* const column = table.find("c" + std::to_string(i));
      ASSERT_NE(column, nullptr) << i;
      EXPECT_EQ(column->numbers[0], i);
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
