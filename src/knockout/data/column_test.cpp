// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/column.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

#include "knockout/base/error.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

using Codes = std::vector<std::int32_t>;
using NumberCells = std::vector<double>;
using StateCells = std::vector<CellState>;
using WordCells = std::vector<std::string>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The message of the DataError that `make` throws, "" when it throws none.
template <typename Make>
std::string refusal(const Make& make) {
  try {
    make();
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

TEST(Column, TakesNanAsMissingAndInfinitiesAsBeyondALimit) {
  const Column column = Column::numbers("age", {63, kNan, -kInfinity, kInfinity, -0.5});
  EXPECT_EQ(column.name(), "age");
  EXPECT_FALSE(column.is_text());
  EXPECT_EQ(column.size(), 5U);
  EXPECT_EQ(listed(column.states()), (StateCells{kObserved, kMissing, kBelow, kAbove, kObserved}));
  EXPECT_EQ(listed(column.numbers()), (NumberCells{63, 0, 0, 0, -0.5}));
  EXPECT_TRUE(column.codes().empty());
  EXPECT_TRUE(column.words().empty());
}

TEST(Column, KeepsTheStatesOfAMaskAndForgetsWhatStandsBelowIt) {
  const Column column =
      Column::numbers("x", {1, 2, kInfinity, kNan, kNan, kInfinity},
                      {kObserved, kReason, kMissing, kReason, kObserved, kObserved});
  EXPECT_EQ(listed(column.states()),
            (StateCells{kObserved, kReason, kMissing, kReason, kMissing, kAbove}));
  EXPECT_EQ(listed(column.numbers()), (NumberCells{1, 0, 0, 0, 0, 0}));
}

TEST(Column, GivesWordsCodesInOrderOfAppearance) {
  const Column column = Column::words("sex", {"m", std::nullopt, "f", "m"});
  EXPECT_TRUE(column.is_text());
  EXPECT_EQ(listed(column.words()), (WordCells{"m", "f"}));
  EXPECT_EQ(listed(column.codes()), (Codes{0, -1, 1, 0}));
  EXPECT_EQ(listed(column.states()), (StateCells{kObserved, kMissing, kObserved, kObserved}));
  EXPECT_TRUE(column.numbers().empty());
  EXPECT_EQ(column.word(2), "f");
  EXPECT_EQ(Column::words("sex", {"m", "-", "f", "m"}, {kObserved, kMissing, kObserved, kObserved}),
            column);
}

TEST(Column, TakesWordsThatHaveCodesAlready) {
  const Column column = Column::coded("c", {2, 7, -1, 0}, {"a", "unused", "b"},
                                      {kObserved, kReason, kMissing, kObserved});
  EXPECT_EQ(listed(column.codes()), (Codes{2, -1, -1, 0}));
  EXPECT_EQ(listed(column.words()), (WordCells{"a", "unused", "b"}));
  EXPECT_EQ(column.state(1), kReason);
  EXPECT_EQ(listed(Column::coded("c", {0, -1}, {"a"}).states()), (StateCells{kObserved, kMissing}));
}

TEST(Column, RefusesStatesThatDoNotFitTheCells) {
  const std::string message = refusal([] {
    Column::numbers("age", {1, 2}, {kObserved, kObserved, kMissing});
  });
  EXPECT_NE(message.find("column \"age\": 2 numbers with 3 states"), std::string::npos) << message;
  EXPECT_THROW(Column::numbers("x", {1, 2}, {kObserved}), DataError);
  EXPECT_THROW(Column::words("x", {"a"}, {kObserved, kObserved}), DataError);
  EXPECT_THROW(Column::words("x", {"a", "b"}, {kObserved}), DataError);
  EXPECT_THROW(Column::coded("x", {0}, {"a"}, {}), DataError);
  EXPECT_THROW(Column::coded("x", {0}, {"a"}, {kObserved, kMissing}), DataError);
}

TEST(Column, RefusesCodesWithoutAWord) {
  const std::string message = refusal([] { Column::coded("c", {0, 2}, {"a", "b"}); });
  EXPECT_NE(message.find("column \"c\", row 2: the code 2 where there are 2 words"),
            std::string::npos)
      << message;
  EXPECT_THROW(Column::coded("c", {-2}, {"a"}), DataError);
  EXPECT_THROW(Column::coded("c", {0}, {}), DataError);
  EXPECT_THROW(Column::coded("c", {-1}, {"a"}, {kObserved}), DataError);
}

TEST(Column, RefusesAWordThatIsListedTwice) {
  const std::string message = refusal([] { Column::coded("c", {0, 1}, {"a", "b", "a"}); });
  EXPECT_NE(message.find("the word \"a\" is listed twice, with the codes 0 and 2"),
            std::string::npos)
      << message;
}

TEST(Column, IsMadeOfGapsOnRequest) {
  EXPECT_EQ(Column::missing("x", 2), Column::numbers("x", {kNan, kNan}));
}

TEST(Column, EmptiesCells) {
  Column column = Column::numbers("x", {1, 2, 3});
  column.set_missing(0);
  column.set_missing(2, kAbove);
  EXPECT_EQ(column, Column::numbers("x", {kNan, 2, kInfinity}));
  column.set_missing(2, kReason);
  EXPECT_EQ(listed(column.states()), (StateCells{kMissing, kObserved, kReason}));
  Column words = Column::words("w", {"a", "b"});
  words.set_missing(0);
  EXPECT_EQ(words, Column::coded("w", {-1, 1}, {"a", "b"}));
  EXPECT_THROW(column.set_missing(1, kObserved), DataError);
  EXPECT_THROW(column.set_missing(3), std::out_of_range);
}

TEST(Column, WritesNumbersAsTheFactoriesTakeThem) {
  Column column = Column::numbers("x", {kNan, 2, 3, 4});
  column.set_number(0, 7);
  column.set_number(1, kNan);
  column.set_number(2, -kInfinity);
  EXPECT_EQ(column, Column::numbers("x", {7, kNan, -kInfinity, 4}));
  EXPECT_EQ(column.state(2), kBelow);
  EXPECT_THROW(column.set_number(4, 1), std::out_of_range);
  Column words = Column::words("w", {"a"});
  EXPECT_THROW(words.set_number(0, 1), DataError);
}

TEST(Column, FillsItsGaps) {
  Column column = Column::numbers("x", {kNan, 2, kInfinity});
  EXPECT_THROW(column.fill_gaps(kNan), DataError);
  column.fill_gaps(5);
  EXPECT_EQ(column, Column::numbers("x", {5, 2, 5}));
  Column words = Column::words("w", {std::nullopt});
  EXPECT_THROW(words.fill_gaps(1), DataError);
}

TEST(Column, TakesRowsAndKeepsItsWords) {
  const Column column = Column::words("w", {"a", std::nullopt, "b"});
  EXPECT_EQ(column.take_rows(std::vector<std::size_t>{2, 1, 2}),
            Column::coded("w", {1, -1, 1}, {"a", "b"}));
}

TEST(Column, TakesCodesOfItsOwnWordsOnly) {
  Column column = Column::coded("sex", {0, -1}, {"f", "m"});
  column.set_code(1, 1);
  EXPECT_EQ(column, Column::coded("sex", {0, 1}, {"f", "m"}));
  column.set_code(0, -7);
  EXPECT_EQ(column, Column::coded("sex", {-1, 1}, {"f", "m"}));
  EXPECT_THROW(column.set_code(0, 2), DataError);
  EXPECT_THROW(column.set_code(2, 0), std::out_of_range);
  EXPECT_THROW(Column::numbers("age", {3}).set_code(0, 0), DataError);
}

}  // namespace
}  // namespace knockout
