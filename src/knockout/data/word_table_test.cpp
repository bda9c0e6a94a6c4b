// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/word_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "knockout/base/test_colliding_words.h"
#include "knockout/data/csv_reader.h"

namespace knockout {
namespace {

/// A minute and a half where all of them share a place, as their forger wants it.
constexpr std::size_t kManyWords = 150'000;

TEST(WordTable, NumbersWordsInOrderOfAppearance) {
  WordTable table;
  EXPECT_EQ(table.find("a"), -1);
  EXPECT_EQ(table.find_or_add("b"), 0);
  EXPECT_EQ(table.find_or_add(""), 1);
  EXPECT_EQ(table.find_or_add("b"), 0);
  EXPECT_EQ(table.find(""), 1);
  EXPECT_EQ(table.find("a"), -1);
  EXPECT_EQ(table.words(), (std::vector<std::string_view>{"b", ""}));
}

TEST(WordTable, GivesWordsThatAreForgedToCollideTheirOwnCodes) {
  const std::vector<std::string> words = test::CollidingWords().make(kManyWords);
  WordTable table;
  for (const std::string& word : words) table.find_or_add(word);
  ASSERT_EQ(table.words().size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(table.find(words[i]), static_cast<std::int32_t>(i));
  }
}

TEST(CsvReader, ReadsWordsThatAreForgedToCollideOnAnyNumberOfThreads) {
  const std::vector<std::string> words = test::CollidingWords().make(kManyWords / 2);
  std::string text = "word\n";
  for (const std::string& word : words) text += "\"" + word + "\"\n";
  for (const int threads : {1, 3}) {
    CsvOptions options;
    options.threads = threads;
    const Table table = read_csv_text(text, "d.csv", options);
    const Column& column = table.column(0);
    ASSERT_TRUE(std::ranges::equal(column.words(), words));  // in order, whatever the seed
    ASSERT_EQ(column.codes().back(), static_cast<std::int32_t>(words.size()) - 1);
  }
}

}  // namespace
}  // namespace knockout
