// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/labels.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace knockout {
namespace {

TEST(ParseNumber, ReadsWholeWordsOnly) {
  EXPECT_EQ(parse_number("12"), 12.0);
  EXPECT_EQ(parse_number("-1.5e3"), -1500.0);
  EXPECT_EQ(parse_number("+.5"), 0.5);
  for (const char* word :
       {"", "+", "+-1", "1 ", " 1", "1a", "0x10", "1,5", "nan", "inf", "1e999"}) {
    EXPECT_FALSE(parse_number(word).has_value()) << word;
  }
}

TEST(LabelOfNumber, IsTheShortestTextThatReadsBack) {
  EXPECT_EQ(label_of_number(1.0), "1");
  EXPECT_EQ(label_of_number(-0.0), "0");
  EXPECT_EQ(label_of_number(0.1), "0.1");
  EXPECT_EQ(label_of_number(1000000.0), "1000000");
  EXPECT_EQ(label_of_number(-3.0), "-3");
  EXPECT_EQ(parse_number(label_of_number(1.0 / 3.0)), 1.0 / 3.0);
  EXPECT_EQ(parse_number(label_of_number(1e300)), 1e300);
  EXPECT_EQ(parse_number(label_of_number(5e-324)), 5e-324);
}

TEST(SortLabels, PutsNumbersByValueBeforeWords) {
  std::vector<std::string> labels = {"b", "10", "9", "a", "-1", "1.0", "1"};
  sort_labels(labels);
  EXPECT_EQ(labels, (std::vector<std::string>{"-1", "1", "1.0", "9", "10", "a", "b"}));
}

TEST(FindLabel, TakesTheSameTextOrTheSameNumber) {
  const std::vector<std::string> labels = {"1", "2.50", "007", "red"};
  EXPECT_EQ(find_label(labels, "1"), 0);
  EXPECT_EQ(find_label(labels, "1.0"), 0);
  EXPECT_EQ(find_label(labels, "2.5"), 1);
  EXPECT_EQ(find_label(labels, "7"), 2);
  EXPECT_EQ(find_label(labels, "red"), 3);
  EXPECT_EQ(find_label(labels, "Red"), -1);
  EXPECT_EQ(find_label(labels, "3"), -1);
  EXPECT_EQ(find_label(labels, ""), -1);
}

TEST(FindLabel, PrefersTheSameTextToTheSameNumber) {
  EXPECT_EQ(find_label({"1", "1.0"}, "1.0"), 1);
  EXPECT_EQ(find_label({"1", "1.0"}, "1.00"), 0);
}

TEST(LabelIndex, AgreesWithFindLabelAlsoAfterAMove) {
  const std::vector<std::string> labels = {"1",   "1.0", "2.50",
                                           "red", "-0",  "a longer label of words"};
  LabelIndex original(labels);
  const LabelIndex index(std::move(original));
  for (const char* word :
       {"1", "1.0", "1.00", "2.5", "red", "blue", "0", "a longer label of words", ""}) {
    EXPECT_EQ(index.find(std::string_view(word)), find_label(labels, word)) << word;
  }
  EXPECT_EQ(index.find(2.5), 2);
  EXPECT_EQ(index.find(-0.0), 4);
  EXPECT_EQ(index.find(3.0), -1);
}

TEST(RangePhrase, NeedsNoColonForAnOpenSide) {
  EXPECT_EQ(range_phrase(0, 5.5), "0:5.5");
  EXPECT_EQ(range_phrase(5, std::nullopt), "of 5 or more");
  EXPECT_EQ(range_phrase(std::nullopt, 5), "up to 5");
}

}  // namespace
}  // namespace knockout
