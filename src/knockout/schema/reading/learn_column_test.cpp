// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/learn_column.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/schema/reading/table_reading.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::contains;
using test::kGap;
using test::numbers;
using test::words;

/// A column as it was read, with what was said about it.
struct LearnedColumn {
  Column column;
  TableReading reading;
  std::vector<Note> notes;

  std::string codes() const {
    std::string text;
    for (const Note& note : notes) text += (text.empty() ? "" : " ") + note.code;
    return text;
  }
};

LearnedColumn learned(const Column& column, const ReadingOptions& options = {}) {
  LearnedColumn result;
  Table table({column}, "d.csv");
  result.reading = TableReading::learn(table, options, result.notes);
  table = result.reading.apply(std::move(table), result.notes);
  result.column = table.column(0);
  return result;
}

TEST(LearnColumn, TurnsCodesAmongNumbersIntoWords) {
  const Column zip = numbers("zip", {73301, 98101, kGap, 60601, 98101});
  const LearnedColumn found = learned(zip);
  EXPECT_EQ(found.codes(), "code");
  EXPECT_TRUE(contains(found.notes[0].text, "such as \"73301\""));
  ASSERT_TRUE(found.column.is_text());
  EXPECT_EQ(found.column.word(1), "98101");
  EXPECT_FALSE(found.column.observed(2));
  EXPECT_EQ(found.column.words().size(), 3U);
  // Later tables are read alike, whether they hold numbers or words.
  EXPECT_EQ(TableReading::from_json(found.reading.to_json()), found.reading);
  EXPECT_FALSE(found.reading.leaves_alone(Table({zip}, "e.csv")));
  EXPECT_EQ(found.reading.columns_of_words(), std::vector<std::string>{"zip"});
  // Amounts where somebody says so, and labels stay what they are.
  EXPECT_EQ(learned(zip, {.number_columns = {"zip"}}).codes(), "");
  EXPECT_EQ(learned(zip, {.target_columns = {"zip"}}).codes(), "");
}

TEST(LearnColumn, FindsCodesWithAStrayWordAmongThem) {
  const LearnedColumn found =
      learned(words("customer_id", {"230", "214", "unknown", "211", "230", "214"}));
  EXPECT_EQ(found.codes(), "code");
  EXPECT_TRUE(found.column.is_text());
}

TEST(LearnColumn, SaysNothingOfIsoTimesWithAZone) {
  for (const char* const zone : {" UTC", "+00", "Z", "+02:00", " GMT"}) {
    const std::string written = std::string("2023-05-05 23:10:11") + zone;
    const LearnedColumn found =
        learned(words("t", {written, "2023-05-06 01:00:00" + std::string(zone)}));
    EXPECT_EQ(found.codes(), "") << written;
  }
  EXPECT_EQ(learned(words("t", {"2023-05-05 23:10:11 UTC", ""})).column.word(0),
            "2023-05-05T23:10:11Z");
  EXPECT_EQ(learned(words("t", {"2023/05/05 23:10:11 UTC", ""})).codes(), "date_format");
  EXPECT_EQ(learned(words("t", {"2023-05-05 11:10 PM UTC", ""})).codes(), "date_format");
}

TEST(LearnColumn, PointsAtDatesThatMeanMissing) {
  const LearnedColumn found = learned(
      words("until", {"2020-01-31", "9999-12-31", "2021-05-05", "9999-12-31", "2022-07-01"}));
  ASSERT_EQ(found.codes(), "sentinel");
  EXPECT_EQ(found.notes[0].text,
            "\"until\" holds \"9999-12-31\" (2 cells), far from all other dates. If it means "
            "missing:  `missing_in = until=9999-12-31`");
  EXPECT_TRUE(found.column.observed(1));  // only pointed out
}

TEST(LearnColumn, ReadsDurationsAsHours) {
  const LearnedColumn found = learned(words("stay", {"36:15:00", "08:30:00", "120:00:00"}));
  EXPECT_EQ(found.codes(), "number_format");
  ASSERT_FALSE(found.column.is_text());
  EXPECT_EQ(found.column.number(0), 36.25);
  EXPECT_EQ(found.column.number(2), 120.0);
}

TEST(LearnColumn, ReadsTheMonthsOfSpreadsheets) {
  const LearnedColumn found = learned(words("month", {"Jan-20", "Feb-20", "Dec-99"}));
  EXPECT_EQ(found.codes(), "date_format");
  EXPECT_EQ(found.column.word(0), "2020-01-01");
  EXPECT_EQ(found.column.word(2), "1999-12-01");
  EXPECT_EQ(learned(words("day", {"Jan 20", "Feb 21", "Mar 3"})).codes(), "");  // of which year?
}

TEST(LearnColumn, KeepsALetterAmongCodes) {
  std::vector<std::string> steel, pain;
  for (int i = 0; i < 40; ++i) {
    steel.push_back(i % 20 == 7 ? "U" : std::to_string(1 + i % 5));
    pain.push_back(i % 20 == 7 ? "asleep" : std::to_string(i % 6));
  }
  EXPECT_EQ(learned(words("class", steel)).codes(), "");
  EXPECT_TRUE(learned(words("class", steel)).column.is_text());
  EXPECT_FALSE(learned(words("class", steel), {.number_columns = {"class"}}).column.is_text());
  // A word among amounts is a gap, among labels it is a class.
  EXPECT_EQ(learned(words("pain", pain)).codes(), "stray_words");
  EXPECT_EQ(learned(words("pain", pain), {.target_columns = {"pain"}}).codes(), "");
  steel[7] = "1";  // once may be a slip
  EXPECT_EQ(learned(words("class", steel)).codes(), "stray_words");
}

}  // namespace
}  // namespace knockout
