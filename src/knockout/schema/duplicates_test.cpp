// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/duplicates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::kGap;
using test::kReasonGap;
using test::numbers;
using test::words;

/// "b=a c~a": b is the same as a, c is a under other names.
std::string duplicates_of(const std::vector<Column>& columns) {
  std::vector<const Column*> given;
  for (const Column& column : columns) given.push_back(&column);
  std::string text;
  for (const auto& [column, earlier, renamed] : find_duplicates(given)) {
    text += (text.empty() ? "" : " ") + column->name() + (renamed ? "~" : "=") + earlier->name();
  }
  return text;
}

TEST(FindDuplicates, FindsEqualColumns) {
  std::vector<double> amounts, other;
  for (int i = 0; i < 300; ++i) amounts.push_back(0.1 * ((i * 7) % 300));
  other = amounts;
  other[299] += 1.0;
  EXPECT_EQ(duplicates_of({numbers("a", amounts), numbers("b", other), numbers("c", amounts)}),
            "c=a");
  EXPECT_EQ(duplicates_of({numbers("a", {1, 2, kGap, 4, 5}), numbers("b", {1, 2, kGap, 4, 5}),
                           numbers("c", {1, 2, 3, 4, 5}), numbers("d", {1, 2, kReasonGap, 4, 5})}),
            "b=a");
  EXPECT_EQ(
      duplicates_of({words("a", {"x", "y", "", "x", "z"}), words("b", {"x", "y", "", "x", "z"})}),
      "b=a");
  EXPECT_EQ(duplicates_of({numbers("a", {1, 2}), numbers("b", {1, 2})}), "");  // chance
}

TEST(FindDuplicates, FindsRenamedCategories) {
  std::vector<std::string> yes_no, other;
  std::vector<double> ones, scaled;
  for (int i = 0; i < 24; ++i) {
    const bool yes = i % 3 == 0;
    yes_no.push_back(i == 5 ? "" : yes ? "yes" : "no");
    ones.push_back(i == 5 ? kGap : yes ? 1 : 0);
    other.push_back(i == 5 ? "" : i % 2 == 0 ? "yes" : "no");
    scaled.push_back(0.5 * i);
  }
  EXPECT_EQ(duplicates_of({words("a", yes_no), numbers("b", ones), words("c", other)}), "b~a");
  // Numbers that do not repeat are no categories.
  EXPECT_EQ(duplicates_of({numbers("a", scaled),
                           numbers("b", std::vector<double>(scaled.rbegin(), scaled.rend()))}),
            "");
}

TEST(FindDuplicates, NeedsRepeatsToSeeARenaming) {
  std::vector<std::string> name, town, group, code;
  for (int i = 0; i < 60; ++i) {
    const bool filled = i % 3 == 0;
    name.push_back(filled ? "n" + std::to_string(i) : "");
    town.push_back(filled ? "t" + std::to_string(i) : "");
    group.push_back(filled ? "g" + std::to_string(i % 4) : "");
    code.push_back(filled ? "c" + std::to_string(i % 4) : "");
  }
  EXPECT_EQ(duplicates_of({words("name", name), words("town", town)}), "");
  EXPECT_EQ(duplicates_of({words("group", group), words("code", code)}), "code~group");
  const std::vector<std::string> few(group.begin(), group.begin() + 57),
      few_codes(code.begin(), code.begin() + 57);
  EXPECT_EQ(duplicates_of({words("group", few), words("code", few_codes)}), "");  // 19 cells
}

TEST(FindDuplicates, FindsThemAmongManyColumnsWithoutRepeats) {
  // As seen by the order of their values all of these are alike; only a few may be compared cell by
  // cell, or this takes minutes.
  constexpr int kColumns = 100'000;
  std::vector<Column> columns;
  for (int i = 0; i < kColumns; ++i) {
    const double first = i % 90'000;
    columns.push_back(numbers("c" + std::to_string(i), {0.5, 1.5, 2.5, 3.5, 10.0 + first}));
  }
  std::vector<const Column*> given;
  for (const Column& column : columns) given.push_back(&column);
  const std::vector<DuplicateColumn> found = find_duplicates(given);
  ASSERT_EQ(found.size(), 10'000U);
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].column, &columns[90'000 + i]);
    ASSERT_EQ(found[i].earlier, &columns[i]);
    ASSERT_FALSE(found[i].renamed);
  }
}

}  // namespace
}  // namespace knockout
