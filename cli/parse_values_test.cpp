// SPDX-License-Identifier: Apache-2.0
#include "cli/parse_values.h"

#include <gtest/gtest.h>

#include "knockout/networks/train_options.h"

namespace knockout::cli {
namespace {

using Names = std::vector<std::string>;

template <typename Value>
Value parsed(const std::string& text, Typed typed = {}) {
  Value value{};
  typed.texts = {text};
  parse(typed, value);
  return value;
}

/// Each of these texts is refused, and the message repeats it.
template <typename Value>
void expect_refused(const Names& texts, const Typed& typed = {}) {
  for (const std::string& text : texts) {
    try {
      parsed<Value>(text, typed);
      ADD_FAILURE() << "\"" << text << "\" was accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("\"" + text + "\""), std::string::npos)
          << error.what();
    }
  }
}

TEST(ParseNumbers, KeepsToWholeNumbersAndRanges) {
  EXPECT_EQ(parsed<int>("12"), 12);
  EXPECT_EQ(parsed<double>("0.5"), 0.5);
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(parsed<std::vector<int>>("128,64"), (std::vector{128, 64}));
  expect_refused<int>({"", "1.5", "many", "1e10", "nan"});
  expect_refused<int>({"0", "-5"}, {.texts = {}, .range = {.low = 1}});
  expect_refused<double>({"", "x", "inf"});
  expect_refused<double>({"1"},
                         {.texts = {}, .range = {.low = 0, .high = 1, .high_excluded = true}});
  expect_refused<std::uint64_t>({"", "-1", "1.5", "18446744073709551616"});
}

TEST(ParseNumbers, TakesTimesWithUnits) {
  const Typed time{.texts = {}, .range = {.low = 0}, .is_time = true};
  EXPECT_EQ(parsed<double>("30", time), 30);
  EXPECT_EQ(parsed<double>("30s", time), 30);
  EXPECT_EQ(parsed<double>("1.5m", time), 90);
  EXPECT_EQ(parsed<double>("2H", time), 7200);
  expect_refused<double>({"", "s", "5 weeks", "often", "-1s", "5d"}, time);
}

TEST(ParseLevels, KeepTheirOrder) {
  const auto levels = parsed<std::vector<ColumnLevels>>("pain=none,some,much=a lot");
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].column, "pain");
  EXPECT_EQ(levels[0].levels, (Names{"none", "some", "much=a lot"}));
  const auto missing = parsed<std::vector<MissingIn>>("age=98,99");
  ASSERT_EQ(missing.size(), 1U);
  EXPECT_EQ(missing[0].column, "age");
  EXPECT_EQ(missing[0].words, (std::vector<std::string>{"98", "99"}));
  expect_refused<std::vector<MissingIn>>({"age", "=99", "age="});
  expect_refused<std::vector<ColumnLevels>>({"pain", "=none,some", "pain="});
}

TEST(ParseOptional, AutoIsAbsent) {
  EXPECT_EQ(parsed<std::optional<int>>("auto"), std::nullopt);
  EXPECT_EQ(parsed<std::optional<int>>("7"), 7);
  EXPECT_EQ(parsed<std::optional<std::string>>("auto"), "auto") << "a name like any other";
}

TEST(ParseEnums, TakesTheirWordsInAnyCase) {
  EXPECT_EQ(parsed<Optimizer>("sgd"), Optimizer::kSgd);
  EXPECT_EQ(parsed<Mechanism>("MAR"), Mechanism::kMar);
  EXPECT_EQ(parsed<std::optional<Task>>("regression"), Task::kRegression);
  expect_refused<Mechanism>({"random", ""});
  try {
    parsed<Task>("regresion");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"regression\"?"), std::string::npos);
  }
}

TEST(ParseRanges, SplitsAtTheLastEqualsAndTheColon) {
  const auto ranges = parsed<std::vector<ColumnRange>>("age=0:120,a=b=-1.5:,x=:5");
  ASSERT_EQ(ranges.size(), 3U);
  EXPECT_EQ(ranges[0].column, "age");
  EXPECT_EQ(ranges[0].lower, 0.0);
  EXPECT_EQ(ranges[0].upper, 120.0);
  EXPECT_EQ(ranges[1].column, "a=b");
  EXPECT_EQ(ranges[1].lower, -1.5);
  EXPECT_EQ(ranges[1].upper, std::nullopt);
  EXPECT_EQ(ranges[2].lower, std::nullopt);
  expect_refused<std::vector<ColumnRange>>(
      {"age", "age=", "age=5", "age=:", "age=a:b", "=0:1", "age=1:2:3", "age=nan:5"});
}

TEST(ParseGroups, TakesANameAndPatterns) {
  const auto groups = parsed<std::vector<ColumnGroup>>("mri=vol_*,thickness");
  EXPECT_EQ(groups[0].name, "mri");
  EXPECT_EQ(groups[0].columns, (Names{"vol_*", "thickness"}));
  const auto whole = parsed<std::vector<ColumnGroup>>("g=income, yearly",
                                                      {.texts = {}, .names = {"income, yearly"}});
  EXPECT_EQ(whole[0].columns, Names{"income, yearly"});
  expect_refused<std::vector<ColumnGroup>>({"age", "=age", "g="});
}

TEST(ParseKnockout, ReadsRatesSetsAndPatterns) {
  EXPECT_EQ(parsed<KnockoutRate>("auto"), KnockoutRate(AutoRate{}));
  EXPECT_EQ(parsed<KnockoutRate>("paper"), KnockoutRate(PaperRate{}));
  EXPECT_EQ(parsed<KnockoutRate>("0.3"), KnockoutRate(0.3));
  expect_refused<KnockoutRate>({"1", "-0.1", "nan", "inf", "half", "", "0.2x", "1e999"});

  const auto rates = parsed<std::vector<UnitRate>>("*=0.1,age=0.5");
  EXPECT_EQ(rates[0].unit, "*");
  EXPECT_EQ(rates[1].rate, 0.5);
  expect_refused<std::vector<UnitRate>>({"age", "=0.1", "age=", "age=x"});

  const auto sets = parsed<std::vector<CorrelatedUnits>>("height,weight=0.8");
  EXPECT_EQ(sets[0].units, (Names{"height", "weight"}));
  EXPECT_EQ(sets[0].strength, 0.8);
  expect_refused<std::vector<CorrelatedUnits>>({"height,weight"});

  const auto patterns = parsed<std::vector<KnockoutPattern>>("age+bmi=3,none=1");
  EXPECT_EQ(patterns[0].units, (Names{"age", "bmi"}));
  EXPECT_EQ(patterns[0].weight, 3);
  EXPECT_EQ(patterns[1].units, Names());
  expect_refused<std::vector<KnockoutPattern>>({"age", "age=x"});
}

TEST(ParseKnockout, LeavesNamesWholeThatHoldItsSigns) {
  const Typed typed{.texts = {}, .names = {"c+d", "none"}};
  const auto patterns = parsed<std::vector<KnockoutPattern>>("c+d=1,none=1", typed);
  EXPECT_EQ(patterns[0].units, Names{"c+d"});
  EXPECT_EQ(patterns[1].units, Names{"none"});
}

TEST(ParsePlaceholders, TakesNumbersAndTheMean) {
  const auto placeholders = parsed<Placeholders>("income=20,*=mean");
  EXPECT_EQ(placeholders.at("income"), Placeholder(20.0));
  EXPECT_EQ(placeholders.at("*"), Placeholder(ColumnMean{}));
  expect_refused<Placeholders>({"bmi", "=3", "x=many", "x=nan"});
}

TEST(ParseClassWeights, TakesBalancedOrAList) {
  using List = std::map<std::string, double>;
  EXPECT_EQ(parsed<ClassWeights>("balanced"), ClassWeights(BalancedClasses{}));
  EXPECT_EQ(parsed<ClassWeights>("equal"), ClassWeights(EqualClasses{}));
  EXPECT_EQ(parsed<ClassWeights>("yes=3,no=1"), ClassWeights(List{{"yes", 3}, {"no", 1}}));
  expect_refused<ClassWeights>({"yes", "yes=", "=3", "yes=x"});
}

TEST(ParseRemovals, TakesAMechanismAndARate) {
  EXPECT_EQ(to_string(parsed<RemovalRule>("none")), "none");
  EXPECT_EQ(to_string(parsed<RemovalRule>("mnar:0.1")), "mnar:0.1");
  EXPECT_EQ(to_string(parsed<RemovalRule>("groups:0.5")), "groups:0.5");
  EXPECT_EQ(parsed<std::vector<RemovalRule>>("none,mcar:0.3").size(), 2U);
  expect_refused<RemovalRule>({"", "mcar", "mcar:", "mcar:1", "mcar:-0.1", "0.3"});
  EXPECT_THROW(parsed<RemovalRule>("mcra:0.1"), ConfigError);
}

}  // namespace
}  // namespace knockout::cli
