// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/patterns.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "knockout/base/error.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

/// a, the group g of g1 and g2, never-missing n, z.
Schema small_schema() {
  return {.features = {{.name = "a"},
                       {.name = "g1", .group = "g"},
                       {.name = "n", .never_missing = true},
                       {.name = "g2", .group = "g"},
                       {.name = "z"}}};
}

Schema wide_schema(int columns) {
  Schema schema;
  for (int c = 0; c < columns; ++c) schema.features.push_back({.name = fmt::format("c{}", c)});
  return schema;
}

std::vector<std::string> names_of(const PatternList& list) {
  std::vector<std::string> names;
  for (const NamedPattern& pattern : list.patterns) names.push_back(pattern.name);
  return names;
}

TEST(AllCombinations, AreAllOfThemInOrder) {
  EXPECT_EQ(all_combinations(4, 2),
            (std::vector<Combination>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}));
  EXPECT_EQ(all_combinations(3, 0), (std::vector<Combination>{{}}));
  EXPECT_EQ(all_combinations(9, 3).size(), 84U);
}

TEST(MissingUnits, AreColumnsAndGroupsThatMayBeMissing) {
  const auto units = missing_units(small_schema());
  ASSERT_EQ(units.size(), 3u);
  EXPECT_EQ(units[0].name, "a");
  EXPECT_EQ(units[1].name, "g");
  EXPECT_EQ(units[1].columns, (std::vector<std::string>{"g1", "g2"}));
  EXPECT_EQ(units[2].name, "z");
}

TEST(PatternsUpTo, ListsEveryCombinationByNumberMissing) {
  const PatternList list = patterns_up_to(small_schema(), 2);
  EXPECT_EQ(names_of(list),
            (std::vector<std::string>{"nothing", "a", "g", "z", "a, g", "a, z", "g, z"}));
  EXPECT_TRUE(list.notes.empty());
  EXPECT_EQ(list.patterns[4].missing, 2u);
  EXPECT_EQ(list.patterns[4].pattern.columns, (std::vector<std::string>{"a", "g1", "g2"}));
  EXPECT_EQ(patterns_up_to(small_schema(), 99).patterns.size(), 8u) << "all subsets of three";
  EXPECT_EQ(names_of(patterns_up_to(small_schema(), 0)), std::vector<std::string>{"nothing"});
  EXPECT_EQ(names_of(single_patterns(small_schema())),
            (std::vector<std::string>{"nothing", "a", "g", "z"}));
}

TEST(PatternsUpTo, DrawsWithoutRepetitionWhenThereAreTooManyAndSaysSo) {
  const PatternList list = patterns_up_to(wide_schema(21), 3, 200, 1);
  ASSERT_EQ(list.patterns.size(), 1u + 21 + 200 + 200);
  EXPECT_EQ(list.notes,
            (std::vector<std::string>{"of the 210 patterns with 2 missing, 200 were drawn",
                                      "of the 1,330 patterns with 3 missing, 200 were drawn"}));
  const auto names = names_of(list);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names_of(patterns_up_to(wide_schema(21), 3, 200, 1)), names);
  EXPECT_NE(names_of(patterns_up_to(wide_schema(21), 3, 200, 2)), names);
  // Each of the 21 columns is in 3 / 21 of the drawn patterns of three: about 29 of 200, with a
  // deviation of 4.6.
  std::map<std::string, int> counts;
  for (const NamedPattern& pattern : list.patterns) {
    if (pattern.missing != 3) continue;
    EXPECT_EQ(pattern.pattern.columns.size(), 3u);
    for (const std::string& column : pattern.pattern.columns) ++counts[column];
  }
  ASSERT_EQ(counts.size(), 21u);
  for (const auto& [column, count] : counts) EXPECT_NEAR(count, 200 * 3 / 21.0, 20) << column;
}

TEST(PatternsUpTo, TakesNoTimeForNumbersBeyondCounting) {
  const PatternList list = patterns_up_to(wide_schema(2000), 40, 3);
  EXPECT_EQ(list.patterns.size(), 1u + 3 * 40);
  EXPECT_EQ(list.notes.front(), "of the 2,000 patterns with 1 missing, 3 were drawn");
  EXPECT_TRUE(test::contains(list.notes.back(), "e+")) << list.notes.back();
  EXPECT_EQ(list.patterns.back().pattern.columns.size(), 40u);
}

TEST(PatternsUpTo, RefusesWhatTheMachineCannotHoldWithTheFigure) {
  const Schema schema = wide_schema(60);
  std::string message;
  try {
    patterns_up_to(schema, 20, 1'000'000'000, 0, {.max_memory = 10});
  } catch (const ConfigError& error) {
    message = error.what();
  }
  // 60 + 1,770 + 34,220 + 487,635 + 5,461,512 + 50,063,860 + 386,206,920 of up to 7, then 13 times
  // as many as are asked for.
  EXPECT_NE(message.find("13,442,255,977 patterns would take about"), std::string::npos) << message;
  EXPECT_NE(message.find("`max_patterns = "), std::string::npos) << message;
  EXPECT_NE(message.find("`max_memory = "), std::string::npos) << message;
  EXPECT_EQ(patterns_up_to(schema, 2, 1'000'000'000, 0, {.max_memory = 10}).patterns.size(),
            1U + 60 + 1770)
      << "a high limit alone costs nothing";
}

TEST(PatternsSeen, AreThoseOfTheRows) {
  using test::kGap;
  const Table table(
      {test::numbers("a", {1, kGap, kGap, 1, 1, kGap}),
       test::numbers("g1", {1, kGap, kGap, 1, kGap, 1}), test::numbers("n", {1, 1, 1, 1, 1, 1}),
       test::numbers("g2", {1, kGap, kGap, 1, 1, 1}), test::numbers("z", {1, 1, 1, 1, 1, kGap})});
  const PatternList list = patterns_seen(small_schema(), table);
  EXPECT_EQ(names_of(list), (std::vector<std::string>{"nothing", "g1", "a, g", "a, z"}))
      << "a group that is gone in part is named by its columns";
  EXPECT_EQ(list.patterns[0].rows, 2u);
  EXPECT_EQ(list.patterns[1].missing, 1u);
  EXPECT_EQ(list.patterns[2].rows, 2u);
  EXPECT_TRUE(list.notes.empty());
  const PatternList frequent = patterns_seen(small_schema(), table, 2);
  EXPECT_EQ(names_of(frequent), (std::vector<std::string>{"nothing", "a, g"}));
  EXPECT_EQ(frequent.notes.at(0),
            "of the 4 patterns in the data, the 2 most frequent ones, which 66.7 % of the rows "
            "have");
}

class PatternFile : public testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_) << text;
    return path_;
  }
  std::string message(const std::string& text) {
    return test::message_of<ConfigError>([&] { read_patterns(small_schema(), write(text)); });
  }
  void TearDown() override { std::filesystem::remove(path_); }
  std::string path_ = (std::filesystem::path(testing::TempDir()) / "patterns.txt").string();
};

TEST_F(PatternFile, TakesColumnsGroupsStarsAndComments) {
  const PatternList list =
      read_patterns(small_schema(), write("# what fails\n\n z , a\r\ng\ng2\ng1,g2\n*\nnone\na,z"));
  EXPECT_EQ(names_of(list), (std::vector<std::string>{"nothing", "g", "g2", "a, z", "a, g, z"}));
  EXPECT_EQ(list.patterns.back().missing, 3u);
}

TEST_F(PatternFile, SaysWhichLineNamesWhatIsNotThere) {
  const std::string unknown = message("a\nZ\n");
  EXPECT_TRUE(test::contains(unknown, "patterns.txt:2")) << unknown;
  EXPECT_TRUE(test::contains(unknown, "Did you mean \"z\"?")) << unknown;
  EXPECT_TRUE(test::contains(message("a,n\n"), "never missing"));
  EXPECT_TRUE(test::contains(message("# nothing\n"), "no pattern"));
  EXPECT_THROW(read_patterns(small_schema(), path_ + ".absent"), FileError);
}

TEST(AllCombinations, AreNoneWhereThereIsTooLittleToChooseFrom) {
  EXPECT_TRUE(all_combinations(2, 3).empty());
  EXPECT_EQ(all_combinations(2, 2).size(), 1U);
  EXPECT_EQ(all_combinations(0, 0).size(), 1U);  // the empty one
}

TEST(PatternsUpTo, AreRefusedForLessThanNothing) {
  Schema schema;
  schema.features = {{.name = "a"}};
  EXPECT_THROW(patterns_up_to(schema, -1), ConfigError);
}

}  // namespace
}  // namespace knockout
