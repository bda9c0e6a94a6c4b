// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/stray_words.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "knockout/data/missing_words.h"

namespace knockout {
namespace {

TEST(StrayWords, KnowTheUsualWaysToSayMissing) {
  for (const char* const word :
       {"n/a",     "NA",      "NaN",  ".",   "-",     "--",       "unknown",
        "Unknown", "MISSING", "none", "nil", "NULL",  "not done", "Not Available",
        "refused", "nd",      "N.D.", "tbd", "error", "#REF!",    "x",
        "*"}) {
    EXPECT_TRUE(says_missing(word)) << word;
  }
  for (const char* const word : {"", "no", "0", "low", "xyz", "-1", "ok", "nadir", "done"}) {
    EXPECT_FALSE(says_missing(word)) << word;
  }
  for (const char* const word : {"-", "--", ".", "n.a.", "N.A.", "n/k", "—"}) {
    EXPECT_TRUE(says_missing_among_words(word)) << word;
  }
  for (const char* const word : {"unknown", "none", "+", "0", "x", "no", "", "---x"}) {
    EXPECT_FALSE(says_missing_among_words(word)) << word;
  }
  for (const char* const word : {"+", "++", "+/-", "(+)"}) EXPECT_TRUE(is_plus_or_minus(word));
  for (const char* const word : {"-", "--", "", "a+"}) EXPECT_FALSE(is_plus_or_minus(word)) << word;
}

struct StrayCase {
  const char* what;
  SortedWords words;
  bool few;
};

TEST(StrayWords, AreFewOrTheColumnHoldsWords) {
  const std::vector<StrayCase> cases = {
      {"none", {.readable_cells = 5, .readable_words = 5}, true},
      {"half are gaps", {5, 5, {}, {{"n/a", 5}}, {}}, true},
      {"more than half are gaps", {5, 5, {}, {{"n/a", 6}}, {}}, false},
      {"most are gaps among many values", {30, 10, {}, {{".", 70}}, {}}, true},
      {"most are limits", {10, 8, {{"<0.5", 60}}, {}, {}}, true},
      {"one in six", {5, 5, {}, {}, {{"tall", 1}}}, true},
      {"one in five", {4, 4, {}, {}, {{"tall", 1}}}, false},
      {"a tenth", {27, 9, {}, {}, {{"a", 1}, {"b", 1}, {"c", 1}}}, true},
      {"more than a tenth", {26, 9, {}, {}, {{"a", 1}, {"b", 1}, {"c", 1}}}, false},
      {"four kinds", {1000, 10, {}, {}, {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}}}, false},
      {"a slip", {100, 10, {}, {}, {{"1o5", 1}}}, true},
      {"house numbers", {10, 10, {}, {}, {{"12a", 1}}}, false},
      {"three slips in a thousand", {1000, 10, {}, {}, {{"1o5", 1}, {"7,,5", 1}}}, true},
  };
  for (const StrayCase& c : cases) EXPECT_EQ(others_are_strays(c.words), c.few) << c.what;
}

}  // namespace
}  // namespace knockout
