// SPDX-License-Identifier: Apache-2.0
#include "media/text/split_words.h"

#include <gtest/gtest.h>

#include <string>

#include "knockout/base/random.h"

namespace knockout {
namespace {

using Words = std::vector<std::string_view>;

// Expected in all tests of valid text: findall of the Python module regex 2026.5.9 with GPT-2's
// pattern.

TEST(SplitWords, CutsContractionsInLowerCaseOnly) {
  EXPECT_EQ(split_words("I'm sure they'll say it's John's"),
            (Words{"I", "'m", " sure", " they", "'ll", " say", " it", "'s", " John", "'s"}));
  EXPECT_EQ(split_words("'S 'Re don't"), (Words{"'", "S", " '", "Re", " don", "'t"}));
}

TEST(SplitWords, LeavesAnApostropheWithThePunctuationBeforeIt) {
  EXPECT_EQ(split_words("?!'s"), (Words{"?!'", "s"}));
  EXPECT_EQ(split_words("a 's"), (Words{"a", " '", "s"}));
  EXPECT_EQ(split_words("' s"), (Words{"'", " s"}));
}

TEST(SplitWords, GivesTheLastBlankToTheNextWord) {
  EXPECT_EQ(split_words("a  b   c "), (Words{"a", " ", " b", "  ", " c", " "}));
  EXPECT_EQ(split_words("  x"), (Words{" ", " x"}));
  EXPECT_EQ(split_words("\u00a0\u00a0 1"), (Words{"\u00a0\u00a0", " 1"}));
}

TEST(SplitWords, CutsTheLastOfOtherWhiteSpaceOff) {
  EXPECT_EQ(split_words(" \t\nx"), (Words{" \t", "\n", "x"}));
  EXPECT_EQ(split_words("x\n\ny"), (Words{"x", "\n", "\n", "y"}));
  EXPECT_EQ(split_words("x \n"), (Words{"x", " \n"}));
  EXPECT_EQ(split_words("a\u00a0b\u3000\u3000c"),
            (Words{"a", "\u00a0", "b", "\u3000", "\u3000", "c"}));
}

TEST(SplitWords, CutsBetweenLettersNumbersAndOthers) {
  EXPECT_EQ(split_words("abc123def 45"), (Words{"abc", "123", "def", " 45"}));
  EXPECT_EQ(split_words("_x-y"), (Words{"_", "x", "-", "y"}));
}

TEST(SplitWords, KnowsTheLettersAndNumbersOfUnicode) {
  EXPECT_EQ(split_words("Café naïve e\u0301té"),
            (Words{"Café", " naïve", " e", "\u0301", "té"}));  // a combining accent is no letter
  EXPECT_EQ(split_words("日本語 テスト123"), (Words{"日本語", " テスト", "123"}));
  EXPECT_EQ(split_words("½ Ⅷ ٣x"), (Words{"½", " Ⅷ", " ٣", "x"}));
  EXPECT_EQ(split_words("I ❤\ufe0f 🍕!"), (Words{"I", " ❤\ufe0f", " 🍕!"}));
}

TEST(SplitWords, TakesBytesThatAreNotUtf8AsPunctuation) {
  EXPECT_EQ(split_words("a\xff\xfe!b"), (Words{"a", "\xff\xfe!", "b"}));
  EXPECT_EQ(split_words("caf\xc3"), (Words{"caf", "\xc3"}));
  EXPECT_EQ(split_words(" \xe2\x82z"), (Words{" \xe2\x82", "z"}));
  EXPECT_EQ(split_words("\xed\xa0\x80"), (Words{"\xed\xa0\x80"}));  // half a surrogate pair
}

TEST(SplitWords, GivesNoWordsForNoText) { EXPECT_TRUE(split_words("").empty()); }

TEST(SplitWords, TogetherAreTheText) {
  const Random random(1, Stream::kSimulation);
  const std::vector<std::string> parts = {" ", "\t", "\n", "'",  "s",    "re",     "Z",
                                          "7", ".",  "é",  "中", "\xf0", "\u2003", "😀"};
  for (std::uint32_t trial = 0; trial < 1000; ++trial) {
    std::string text;
    for (std::uint32_t i = 0; i < trial % 30; ++i) {
      text += parts[random.below(static_cast<std::uint32_t>(parts.size()), 0, trial, i)];
    }
    std::string together;
    for (const std::string_view word : split_words(text)) {
      EXPECT_FALSE(word.empty());
      together += word;
    }
    EXPECT_EQ(together, text);
  }
}

}  // namespace
}  // namespace knockout
