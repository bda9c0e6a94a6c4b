// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/spellings.h"

#include <gtest/gtest.h>

#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::numbers;
using test::words;

TEST(Spellings, AreToldWhereOnlyCapitalsOrBlanksDiffer) {
  EXPECT_EQ(
      spellings_text(words("a", {"yes", "Yes", "no", "Yes", "", "YES "})),
      "\"a\" spells the same in several ways, which are taken as different: \"Yes\" (2 "
      "cells), \"YES \" (1 cell), \"yes\" (1 cell). If they mean the same, write them alike.");
  EXPECT_TRUE(test::contains(spellings_text(words("a", {"New  York", "new york"})), "New  York"));
  EXPECT_TRUE(test::contains(spellings_text(words("a", {"\xC3\x96l", "\xC3\xB6l"})), "(1 cell)"));
}

TEST(Spellings, AreNotToldOfOtherWords) {
  EXPECT_EQ(spellings_text(words("a", {"Yes", "Y", "no", "newyork", "new york"})), "");
  EXPECT_EQ(spellings_text(words("a", {"\xC3\x97", "\xC3\xB7"})), "");  // times and divided by
  EXPECT_EQ(spellings_text(numbers("a", {1, 2, 1})), "");
  EXPECT_EQ(spellings_text(words("a", {})), "");
}

TEST(Spellings, AreShownForThreeWordsAtMost) {
  const std::string text =
      spellings_text(words("a", {"a", "A", "b", "B", "c", "C", "d", "D", "e", "E"}));
  EXPECT_TRUE(test::contains(text, "\"C\" (1 cell), \"c\" (1 cell) and 2 more."));
  EXPECT_FALSE(test::contains(text, "\"D\""));
}

}  // namespace
}  // namespace knockout
