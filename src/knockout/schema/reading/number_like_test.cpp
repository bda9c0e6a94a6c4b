// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_like.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/schema/reading/test_word_columns.h"

namespace knockout {
namespace {

using test::CountedCells;
using test::joined;
using test::many;
using Cells = std::vector<std::string>;

std::string why(const Cells& cells) { return why_no_numbers(CountedCells(cells).counts()); }

TEST(NumberLike, KnowsFormsOfNumbers) {
  for (const char* const word :
       {"120/80", "1.7 ± 0.1", "1.4 (0.9, 16.9)", "2.8x10^4", "5'10\"", "4y 5m", "1 1/2",
        "0 (not detected)", "42°18'N", "1:21.464", "10 to 20", "3.5 [3.1-3.9]"}) {
    EXPECT_TRUE(is_unknown_number(word)) << word;
  }
  for (const char* const word :
       {"555-1234", "1.2.3", "192.168.0.1", "2021/0045", "12/2020", "1/2/2020", "718-7", "E11.9",
        "A 12", "12 Main St", "4f3a9", "2021-W30", "+49 711 123", "(415) 555-0405", "", "12",
        "12345678/9", "3M Company"}) {
    EXPECT_FALSE(is_unknown_number(word)) << word;
  }
}

TEST(NumberLike, SaysWhichCellsPreventNumbers) {
  const Cells plain = many(30, [](int i) { return fmt::format("{}.5", i); });
  EXPECT_EQ(why(joined(plain, {"10 (worst)", "10 (worst)", "9 (bad)", "8 (so)", "7 (la)"})),
            "looks like numbers, but \"10 (worst)\" (2 cells), \"9 (bad)\" (1 cell), \"8 (so)\" (1 "
            "cell) and 1 more are not");
  EXPECT_EQ(why(plain), "");
  EXPECT_EQ(why(joined(plain, {"V27", "E11", "V30", "V31"})), "");  // diagnoses
  EXPECT_EQ(why(joined(many(30, [](int i) { return fmt::format("{}", i); }),
                       {"12a", "12b", "14a", "16c"})),
            "");  // houses
}

TEST(NumberLike, NamesAnUnknownForm) {
  const Cells pressures =
      many(60, [](int i) { return fmt::format("{}/{}", 100 + i % 30, 60 + i % 30); });
  EXPECT_EQ(why(pressures), "holds numbers in a form that is not known, such as \"100/60\"");
  EXPECT_EQ(why({"120/80", "130/80", "120/70", "130/70"}), "");  // few are good categories
}

}  // namespace
}  // namespace knockout
