// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/identifiers.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::kGap;
using test::numbers;
using test::words;

bool names_rows(const Column& column) {
  const ColumnProfile profile = profile_column(column);
  return (column.is_text() ? row_names_of_words(column, profile)
                           : row_names_of_numbers(column, profile))
      .has_value();
}

Column words_of(const std::string& name, int rows, const std::function<std::string(int)>& word) {
  std::vector<std::string> cells;
  for (int i = 0; i < rows; ++i) cells.push_back(word(i));
  return words(name, cells);
}

Column numbers_of_rows(const std::string& name, int rows,
                       const std::function<double(int)>& number) {
  std::vector<double> cells;
  for (int i = 0; i < rows; ++i) cells.push_back(number(i));
  return numbers(name, cells);
}

TEST(Identifiers, AreWordsThatAllDiffer) {
  const auto letters = [](int i) { return std::string(1, static_cast<char>('a' + i)); };
  const auto padded = [](int i) { return fmt::format("P-{:04}", i * 17 % 97); };
  EXPECT_TRUE(names_rows(words_of("w", 20, letters)));
  EXPECT_FALSE(names_rows(words_of("w", 19, letters)));
  EXPECT_TRUE(names_rows(words_of("id", 10, letters)));
  EXPECT_TRUE(names_rows(words_of("w", 10, padded)));
  EXPECT_FALSE(names_rows(words_of("w", 9, padded)));
  EXPECT_FALSE(names_rows(words_of("w", 40, [&](int i) { return padded(i / 2); })));
  EXPECT_TRUE(names_rows(words_of("w", 90, [&](int i) { return padded(i * 3 / 4); })));
  EXPECT_TRUE(names_rows(words_of("zip", 40,
                                  [](int i) { return fmt::format("{:05}", i / 2 * 2); })) == false);
  EXPECT_TRUE(names_rows(words_of("zip", 40, [](int i) { return fmt::format("{:05}", i % 39); })));
}

TEST(Identifiers, AreUuidsAndFreeText) {
  EXPECT_TRUE(names_rows(words_of(
      "u", 6, [](int i) { return fmt::format("123e4567-e89b-12d3-a456-42661417400{}", i / 2); })));
  EXPECT_TRUE(names_rows(
      words_of("remarks", 12, [](int i) { return fmt::format("seen {} times, was well", i); })));
  EXPECT_FALSE(names_rows(words_of(
      "remarks", 12, [](int i) { return i % 2 == 0 ? "was seen and well" : "was not seen"; })));
}

TEST(Identifiers, AreCalledFreeTextWhereTheyAreSentences) {
  const auto code_of = [](const Column& column) {
    return std::string(row_names_of_words(column, profile_column(column))->code);
  };
  EXPECT_EQ(code_of(words_of("t", 12, [](int i) { return fmt::format("seen {} times again", i); })),
            "free_text");
  EXPECT_EQ(code_of(words_of("t", 12, [](int i) { return fmt::format("P-{}", i); })), "identifier");
  const auto rarely = [](int i) { return i % 4 != 0 ? "" : fmt::format("seen {} times again", i); };
  EXPECT_TRUE(names_rows(words_of("t", 20, rarely)));  // five texts
  EXPECT_FALSE(names_rows(words_of("t", 16, rarely)));
}

TEST(Identifiers, AreFewNumbersIfTheColumnIsCalledIdAndCounts) {
  const auto count = [](int i) { return i + 1; };
  EXPECT_TRUE(names_rows(numbers_of_rows("id", 8, count)));
  EXPECT_FALSE(names_rows(numbers_of_rows("id", 7, count)));
  EXPECT_FALSE(names_rows(numbers_of_rows("dose", 12, count)));
  const auto odd = [](int i) { return 2 * i + 1; };
  EXPECT_FALSE(names_rows(numbers_of_rows("id", 9, odd)));
  EXPECT_TRUE(names_rows(numbers_of_rows("id", 10, odd)));
  EXPECT_FALSE(names_rows(numbers_of_rows("dose", 19, odd)));
}

TEST(Identifiers, MayRepeatIfTheyNameWhatTheRowsAreAbout) {
  const auto visits = [](int i) { return i / 2; };
  const auto coded = [](int i) { return fmt::format("P{:02}", i / 2); };
  EXPECT_TRUE(names_rows(numbers_of_rows("record_id", 24, visits)));
  EXPECT_TRUE(names_rows(numbers_of_rows("subject", 24, visits)));
  EXPECT_FALSE(
      names_rows(numbers_of_rows("record_id", 24, [](int i) { return i / 3; })));  // groups
  EXPECT_FALSE(names_rows(numbers_of_rows("shop_id", 24, visits)));
  EXPECT_TRUE(names_rows(words_of("patient", 24, coded)));
  EXPECT_FALSE(names_rows(words_of("well", 24, coded)));
  EXPECT_FALSE(names_rows(words_of("subject", 24, [](int i) {  // what is taught
    return std::string(1, static_cast<char>('a' + i / 2));
  })));
}

TEST(Identifiers, AreNoTimes) {
  for (const char* const name : {"hour", "elapsed_s", "t_s", "week", "age"}) {
    EXPECT_FALSE(names_rows(numbers_of_rows(name, 60, [](int i) { return i; }))) << name;
  }
  EXPECT_TRUE(names_rows(numbers_of_rows("time_id", 60, [](int i) { return i; })));
}

TEST(Identifiers, AreWholeNumbersThatAllDiffer) {
  EXPECT_TRUE(names_rows(numbers_of_rows("n", 20, [](int i) { return i; })));
  EXPECT_TRUE(names_rows(numbers_of_rows("n", 40, [](int i) { return 1000 + i * 7 % 40; })));
  EXPECT_FALSE(names_rows(numbers_of_rows("n", 19, [](int i) { return i; })));
  EXPECT_FALSE(names_rows(numbers_of_rows("n", 40, [](int i) { return i * 7 % 39; })));
  EXPECT_FALSE(names_rows(numbers_of_rows("n", 40, [](int i) { return i * 7919 % 1000; })));
  EXPECT_TRUE(names_rows(numbers_of_rows("case_id", 40, [](int i) { return i * 7919 % 1009; })));
  EXPECT_TRUE(names_rows(numbers_of_rows("n", 60, [](int i) { return 100.0 - i; })));
}

TEST(Identifiers, AreNoYearsAndNoNumbersWithDecimals) {
  EXPECT_FALSE(names_rows(numbers_of_rows("year", 60, [](int i) { return 1950 + i; })));
  EXPECT_FALSE(names_rows(numbers_of_rows("n", 60, [](int i) { return i + 0.5; })));
  EXPECT_FALSE(names_rows(numbers_of_rows("n", 60, [](int i) { return i == 5 ? kGap : i; })));
}

TEST(Identifiers, AreNotNumbersInAFormThatIsNotKnown) {
  const auto code_of = [](const std::function<std::string(int)>& word) {
    const Column column = words_of("x", 60, word);
    const auto names = row_names_of_words(column, profile_column(column));
    return names ? std::string(names->code) : std::string();
  };
  EXPECT_EQ(code_of([](int i) { return fmt::format("{}/{}", 100 + i, 60 + i / 2); }),
            "number_like");
  EXPECT_EQ(code_of([](int i) { return fmt::format("{}.5 ({}, {})", i, i, i + 1); }),
            "number_like");
  EXPECT_EQ(code_of([](int i) { return fmt::format("{}y {}m", i, i % 12); }), "number_like");
  EXPECT_EQ(code_of([](int i) { return fmt::format("{}{}5", i, i % 2 == 0 ? '.' : ','); }),
            "number_like");
  EXPECT_EQ(code_of([](int i) { return fmt::format("P-{:04}", i); }), "identifier");
  EXPECT_EQ(code_of([](int i) { return fmt::format("555-{}", 1000 + i); }), "identifier");
  EXPECT_EQ(code_of([](int i) { return fmt::format("10.0.{}.{}", i, i + 1); }), "identifier");
  EXPECT_EQ(code_of([](int i) { return fmt::format("2021/{:04}", i); }), "identifier");
  EXPECT_EQ(code_of([](int i) { return fmt::format("{}a{}", i, i); }), "identifier");
}

}  // namespace
}  // namespace knockout
