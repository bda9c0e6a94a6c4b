// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_tails.h"

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include <fmt/format.h>

#include "knockout/schema/reading/number_column.h"
#include "knockout/schema/reading/number_like.h"
#include "knockout/schema/reading/sentinels.h"
#include "knockout/schema/reading/test_word_columns.h"

namespace knockout {
namespace {

using test::CountedCells;
using test::many;
using TailCells = std::vector<std::string>;

NumbersFound numbers_in_cells(const TailCells& cells) {
  static std::deque<CountedCells> kept;  // what is found refers to them
  return find_numbers(kept.emplace_back(cells).counts(), '.', true);
}

/// The cells as the column reads them; NaN where it does not.
std::vector<double> read_cells(const TailCells& cells) {
  const NumbersFound found = numbers_in_cells(cells);
  EXPECT_TRUE(found.is_column()) << cells[0];
  std::vector<double> values;
  for (const std::string& cell : cells) {
    values.push_back(read_number(cell, found.format).value_or(-12345.0));
  }
  return values;
}

TEST(NumberTails, ReadPowersOfTenAsPeopleWriteThem) {
  EXPECT_EQ(read_cells({"2.8x10^4", "3.1 x 10^-2", "5×10^6", "7.5*10^3", "4"}),
            (std::vector<double>{2.8e4, 3.1e-2, 5e6, 7.5e3, 4}));
  // Blood counts have a unit that only looks like one.
  EXPECT_EQ(read_cells({"4.5 10^9/L", "6.1 10^9/L"}), (std::vector<double>{4.5, 6.1}));
}

TEST(NumberTails, ReadTheMeanAndDropItsDeviation) {
  EXPECT_EQ(read_cells({"1.7 ± 0.1", "2.25±0.3", "3.5 +/- 0.4"}),
            (std::vector<double>{1.7, 2.25, 3.5}));
  EXPECT_EQ(read_cells({"1.7 ± 0.1 kg", "2.5 ± 0.1 kg"}), (std::vector<double>{1.7, 2.5}));
}

TEST(NumberTails, ReadMarksOutOfTheSameNumber) {
  EXPECT_EQ(read_cells({"4.5 out of 5 stars", "3.9 out of 5 stars"}),
            (std::vector<double>{4.5, 3.9}));
}

TEST(NumberTails, DropStarsHoweverManyHaveOne) {
  EXPECT_EQ(read_cells({"0.12***", "0.5**", "-0.3*", "1.25", "0.75", "0.11", "2.5*"}),
            (std::vector<double>{0.12, 0.5, -0.3, 1.25, 0.75, 0.11, 2.5}));
  EXPECT_FALSE(numbers_in_cells({"5*", "4*", "3*", "1", "2"}).is_column()) << "hotels";
}

TEST(NumberTails, DropRemarksInBrackets) {
  TailCells cells = many(12, [](int i) { return fmt::format("{}.5", i); });
  cells.emplace_back("46.4 [r]");
  EXPECT_EQ(read_cells(cells).back(), 46.4);
}

TEST(NumberTails, ReadEntitiesOfWebPages) {
  EXPECT_EQ(read_cells({"&minus;1.5", "2.5&nbsp;", "3"}), (std::vector<double>{-1.5, 2.5, 3}));
  EXPECT_EQ(numbers_in_cells({"1.5", "2.5", "&lt;0.5"}).words.limits.size(), 1U);
}

TEST(NumberTails, ReadLakhsAndCrores) {
  EXPECT_EQ(read_cells({"35.5 Lac", "1.2 Cr", "90 Lac"}),
            (std::vector<double>{3.55e6, 1.2e7, 9e6}));
}

TEST(NumberTails, ReadRaceTimesAsHours) {
  const std::vector<double> hours = read_cells({"1:23.45", "0:59.9", "2:00.00"});
  EXPECT_NEAR(hours[0] * 3600, 83.45, 1e-9);
  EXPECT_NEAR(hours[1] * 3600, 59.9, 1e-9);
  EXPECT_NEAR(hours[2] * 3600, 120, 1e-9);
}

TEST(NumberLike, TellsOfPairsInShortTables) {
  const auto why = [](const TailCells& cells) {
    const CountedCells counted(cells);
    return why_no_numbers(counted.counts(), find_numbers(counted.counts(), '.', true));
  };
  const auto pressure = [](int i) { return fmt::format("{}/{}", 110 + i, 70 + i % 7); };
  EXPECT_NE(why(many(15, pressure)), "");
  EXPECT_NE(why(many(15, [](int i) { return fmt::format("{}w{}d", 30 + i % 11, i % 7); })), "");
  EXPECT_NE(why(many(15, [](int i) { return fmt::format("{}-{}", 20 + i, i); })), "") << "scores";
  EXPECT_EQ(why(many(15, [](int i) { return fmt::format("{}-{}", i % 3, i % 3 + 1); })), "")
      << "few bands are categories";
}

TEST(Sentinels, AreSeenWhereNothingElseIsNegative) {
  const std::vector<double> incomes = {8000, 90000, -99, 30000, 45000, -99, 52000, 61000};
  ASSERT_EQ(find_sentinels(incomes).size(), 1U);
  EXPECT_EQ(find_sentinels(incomes)[0].value, -99.0);
  const std::vector<double> changes = {8000, -9000, -99, 30000, -45000, -99, 52000, 61000};
  EXPECT_TRUE(find_sentinels(changes).empty());
}

}  // namespace
}  // namespace knockout
