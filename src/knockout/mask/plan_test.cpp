// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/plan.h"

#include <cmath>

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"

namespace knockout {
namespace {

const std::vector<std::string> kNames = {"age", "bmi", "mri_left", "mri_right"};
const std::vector<bool> kMayGo(4, false);

std::string message_of(const KnockoutOptions& options, const std::vector<bool>& never = kMayGo) {
  try {
    make_plan(kNames, never, options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PaperRate, LeavesHalfOfTheRowsComplete) {
  for (const int units : {1, 2, 9, 125}) {
    EXPECT_NEAR(std::pow(1 - paper_rate(units), units), 0.5, 1e-12) << units;
  }
  EXPECT_DOUBLE_EQ(paper_rate(1), 0.5);
  EXPECT_NEAR(paper_rate(9), 0.0741, 5e-5);  // the regression study's rate
}

TEST(MakePlan, PaperCountsOnlyUnitsThatMayGoMissing) {
  const KnockoutPlan plan = make_plan(kNames, {true, false, true, false}, {.rate = PaperRate{}});
  const double rate = 1 - std::sqrt(0.5);
  const std::vector<double> rates = plan.expected_rates();
  EXPECT_EQ(rates[0], 0);
  EXPECT_NEAR(rates[1], rate, 1e-12);
  EXPECT_EQ(rates[2], 0);
  EXPECT_NEAR(rates[3], rate, 1e-12);
}

TEST(MakePlan, ANumberIsTheRateOfEveryUnit) {
  EXPECT_EQ(make_plan(kNames, kMayGo, {.rate = 0.2}).expected_rates(), std::vector<double>(4, 0.2));
  EXPECT_EQ(make_plan(kNames, kMayGo, {.rate = 0.0}).expected_rates(), std::vector<double>(4, 0.0));
}

TEST(MakePlan, AutomaticPlanReachesHalfOfTheCellsAndBeyond) {
  const KnockoutPlan plan = make_plan(kNames, kMayGo, {});
  ASSERT_FALSE(plan.parts.empty());
  double highest = 0;
  for (const auto& part : plan.parts) highest = std::max(highest, part.row_rate_high);
  EXPECT_GE(highest, 0.5);
  for (const double rate : plan.expected_rates()) {
    EXPECT_GT(rate, paper_rate(4) / 2);
    EXPECT_LT(rate, 1);
  }
}

TEST(MakePlan, RemovesNothingWhenNothingMayGo) {
  for (const KnockoutRate& rate :
       {KnockoutRate(AutoRate{}), KnockoutRate(PaperRate{}), KnockoutRate(0.3)}) {
    const KnockoutPlan plan = make_plan(kNames, std::vector<bool>(4, true), {.rate = rate});
    EXPECT_EQ(plan.expected_rates(), std::vector<double>(4, 0.0)) << rate.index();
  }
}

TEST(MakePlan, OwnRatesWinInEveryPartAndLaterOnesOverEarlier) {
  for (const KnockoutRate& rate :
       {KnockoutRate(AutoRate{}), KnockoutRate(PaperRate{}), KnockoutRate(0.3)}) {
    const KnockoutPlan plan =
        make_plan(kNames, kMayGo,
                  {.rate = rate, .unit_rates = {{"mri_*", 0.5}, {"mri_left", 0.25}, {"age", 0}}});
    const std::vector<double> rates = plan.expected_rates();
    EXPECT_DOUBLE_EQ(rates[0], 0.0) << rate.index();
    EXPECT_DOUBLE_EQ(rates[2], 0.25) << rate.index();
    EXPECT_DOUBLE_EQ(rates[3], 0.5) << rate.index();
    EXPECT_GT(rates[1], 0.0) << rate.index();
  }
}

TEST(MakePlan, AStarPassesOverNeverMissingUnits) {
  const KnockoutPlan plan =
      make_plan(kNames, {true, false, false, false}, {.rate = 0.0, .unit_rates = {{"*", 0.5}}});
  EXPECT_EQ(plan.expected_rates(), (std::vector<double>{0, 0.5, 0.5, 0.5}));
}

TEST(MakePlan, PatternsReplaceTheRates) {
  const KnockoutPlan plan = make_plan(
      kNames, kMayGo, {.patterns = {{{"age", "bmi"}, 3}, {{}, 1}, {{"bmi"}, 2}, {{"mri_*"}, 2}}});
  ASSERT_EQ(plan.parts.size(), 1u);
  const auto& patterns = plan.parts[0].patterns;
  ASSERT_EQ(patterns.size(), 4u);
  EXPECT_EQ(patterns[0].missing_units, (std::vector<int>{0, 1}));
  EXPECT_EQ(patterns[1].missing_units, std::vector<int>{});
  EXPECT_EQ(patterns[3].missing_units, (std::vector<int>{2, 3}));
  EXPECT_EQ(plan.expected_rates(), (std::vector<double>{3 / 8., 5 / 8., 2 / 8., 2 / 8.}));
}

TEST(MakePlan, UnitNamesMayHoldAnySigns) {
  const std::vector<std::string> names = {"a=b", "c+d", "none"};
  const std::vector<bool> never(3, false);
  EXPECT_EQ(make_plan(names, never, {.rate = 0.0, .unit_rates = {{"a=b", 0.5}}}).own_rates,
            (std::map<int, double>{{0, 0.5}}));
  const auto patterns =
      make_plan(names, never, {.patterns = {{{"c+d"}, 1}, {{"none"}, 1}}}).parts[0].patterns;
  EXPECT_EQ(patterns[0].missing_units, std::vector<int>{1});
  EXPECT_EQ(patterns[1].missing_units, std::vector<int>{2});
}

TEST(MakePlan, ReadsCorrelatedUnits) {
  const KnockoutPlan plan =
      make_plan(kNames, kMayGo, {.correlated = {{{"bmi", "age"}, 0.8}, {{"mri_*"}, 1}}});
  ASSERT_EQ(plan.correlated.size(), 2u);
  EXPECT_EQ(plan.correlated[0].units, (std::vector<int>{0, 1}));
  EXPECT_EQ(plan.correlated[0].strength, 0.8);
  EXPECT_EQ(plan.correlated[1].units, (std::vector<int>{2, 3}));
}

TEST(MakePlan, ReasonShareFollowsTheRateUnlessItIsSaid) {
  const auto share = [](const KnockoutOptions& options) {
    return make_plan(kNames, kMayGo, options).reason_share;
  };
  EXPECT_EQ(share({.rate = PaperRate{}}), 0.0);
  EXPECT_GT(share({.rate = AutoRate{}}), 0.0);
  EXPECT_EQ(share({.rate = PaperRate{}, .reason_share = 0.2}), 0.2);
  EXPECT_EQ(share({.reason_share = 0.2, .patterns = {{{"age"}, 1}}}), 0.2);
  EXPECT_THROW(share({.reason_share = 1.5}), ConfigError);
  EXPECT_THROW(share({.reason_share = std::nan("")}), ConfigError);
}

TEST(MakePlan, SuggestsTheNearestUnit) {
  for (const KnockoutOptions& options : {KnockoutOptions{.unit_rates = {{"mri_lft", 0.5}}},
                                         KnockoutOptions{.correlated = {{{"age", "mri_lft"}, 0.5}}},
                                         KnockoutOptions{.patterns = {{{"age", "mri_lft"}, 1}}}}) {
    const std::string message = message_of(options);
    EXPECT_NE(message.find("there is no input \"mri_lft\""), std::string::npos) << message;
    EXPECT_NE(message.find("Did you mean \"mri_left\"?"), std::string::npos) << message;
  }
}

TEST(MakePlan, RefusesWhatCannotBe) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double rate : {1.0, -0.1, kNan, kInfinity}) {
    EXPECT_NE(message_of({.rate = rate}).find("`rate`"), std::string::npos) << rate;
    EXPECT_NE(message_of({.unit_rates = {{"age", rate}}}), "no error") << rate;
  }
  EXPECT_NE(message_of({.unit_rates = {{"", 0.1}}}), "no error");
  for (const CorrelatedUnits& set :
       {CorrelatedUnits{{"age"}, 0.5}, CorrelatedUnits{{"age", "bmi"}, 1.5},
        CorrelatedUnits{{"age", "bmi"}, -1}, CorrelatedUnits{{"age", "age"}, 0.5},
        CorrelatedUnits{{"age", "", "bmi"}, 1}}) {
    EXPECT_NE(message_of({.correlated = {set}}), "no error") << set.strength;
  }
  EXPECT_NE(message_of({.correlated = {{{"age", "bmi"}, 1}, {{"bmi", "mri_left"}, 1}}}),
            "no error");
  for (const double weight : {0.0, -1.0, kInfinity, kNan}) {
    EXPECT_NE(message_of({.patterns = {{{"age"}, weight}}}), "no error") << weight;
  }
  EXPECT_NE(message_of({.patterns = {{{"", "age"}, 1}}}), "no error");
  EXPECT_NE(message_of({.patterns = {{{"age"}, 1e308}, {{"bmi"}, 1e308}}}), "no error");
}

TEST(MakePlan, RefusesContradictions) {
  EXPECT_NE(message_of({.unit_rates = {{"age", 0.1}}, .patterns = {{{"bmi"}, 1}}}), "no error");
  EXPECT_NE(message_of({.rate = 0.1, .patterns = {{{"bmi"}, 1}}}), "no error");
  EXPECT_NE(message_of({.correlated = {{{"age", "bmi"}, 1}}, .patterns = {{{"bmi"}, 1}}}),
            "no error");
  const std::vector<bool> age_stays = {true, false, false, false};
  EXPECT_NE(message_of({.unit_rates = {{"age", 0.1}}}, age_stays).find("never missing"),
            std::string::npos);
  EXPECT_NE(message_of({.correlated = {{{"age", "bmi"}, 1}}}, age_stays), "no error");
  EXPECT_NE(message_of({.patterns = {{{"age", "bmi"}, 1}}}, age_stays), "no error");
}

TEST(ExpectedRates, MixPartsByWeight) {
  KnockoutPlan plan;
  plan.units = 2;
  plan.never_missing = {false, false};
  plan.parts = {{.weight = 1, .unit_rates = {0.1, 0.3}},
                {.weight = 3, .row_rate_low = 0.2, .row_rate_high = 0.8}};
  EXPECT_NEAR(plan.expected_rates()[0], 0.25 * 0.1 + 0.75 * 0.5, 1e-12);
  EXPECT_NEAR(plan.expected_rates()[1], 0.25 * 0.3 + 0.75 * 0.5, 1e-12);
}

TEST(ExpectedRates, CountTheUnitThatIsGivenBack) {
  KnockoutPlan plan;
  plan.units = 2;
  plan.never_missing = {false, false};
  plan.keep_at_least_one = true;
  // By hand: all missing with 0.1 * 0.3, and each unit comes back in half of those rows.
  plan.parts = {{.unit_rates = {0.1, 0.3}}};
  EXPECT_NEAR(plan.expected_rates()[0], 0.1 - 0.03 / 2, 1e-12);
  // The mean of r^2 over [0, 1] is 1/3.
  plan.parts = {{.row_rate_low = 0, .row_rate_high = 1}};
  EXPECT_NEAR(plan.expected_rates()[1], 0.5 - 1.0 / 6, 1e-12);
  plan.parts = {{.row_rate_low = 0.5, .row_rate_high = 0.5}};
  EXPECT_NEAR(plan.expected_rates()[1], 0.5 - 0.25 / 2, 1e-12);
  plan.parts = {{.patterns = {{{0, 1}, 1.0}, {{0}, 3.0}}}};
  EXPECT_NEAR(plan.expected_rates()[0], 1 - 0.25 / 2, 1e-12);
  EXPECT_NEAR(plan.expected_rates()[1], 0.25 - 0.25 / 2, 1e-12);
  plan.never_missing = {false, true};  // something is always left
  EXPECT_NEAR(plan.expected_rates()[0], 1, 1e-12);
}

KnockoutPlan plan_with_everything() {
  KnockoutPlan plan;
  plan.units = 4;
  plan.parts = {{.weight = 0.1, .unit_rates = {0.1, 0.2, 0.30000000000000004, 1}},
                {.weight = 2, .row_rate_low = 0.25, .row_rate_high = 0.75},
                {.weight = 1, .patterns = {{{0, 3}, 1.5}, {{}, 2}}}};
  plan.own_rates = {{1, 0.05}};
  plan.correlated = {{{0, 2}, 0.7}};
  plan.never_missing = {false, false, false, true};
  plan.keep_at_least_one = true;
  plan.reason_share = 0.35;
  return plan;
}

TEST(PlanJson, ReadsBackWhatItWrote) {
  const KnockoutPlan plan = plan_with_everything();
  for (const nlohmann::json& json :
       {plan_to_json(plan), nlohmann::json::parse(plan_to_json(plan).dump())}) {
    const KnockoutPlan read = plan_from_json(json);
    EXPECT_EQ(read.units, plan.units);
    EXPECT_EQ(read.own_rates, plan.own_rates);
    EXPECT_EQ(read.never_missing, plan.never_missing);
    EXPECT_EQ(read.keep_at_least_one, plan.keep_at_least_one);
    EXPECT_EQ(read.reason_share, plan.reason_share);
    ASSERT_EQ(read.correlated.size(), 1u);
    EXPECT_EQ(read.correlated[0].units, plan.correlated[0].units);
    EXPECT_EQ(read.correlated[0].strength, plan.correlated[0].strength);
    ASSERT_EQ(read.parts.size(), plan.parts.size());
    for (std::size_t p = 0; p < plan.parts.size(); ++p) {
      EXPECT_EQ(read.parts[p].weight, plan.parts[p].weight);
      EXPECT_EQ(read.parts[p].unit_rates, plan.parts[p].unit_rates);
      EXPECT_EQ(read.parts[p].row_rate_low, plan.parts[p].row_rate_low);
      EXPECT_EQ(read.parts[p].row_rate_high, plan.parts[p].row_rate_high);
      ASSERT_EQ(read.parts[p].patterns.size(), plan.parts[p].patterns.size());
      for (std::size_t i = 0; i < plan.parts[p].patterns.size(); ++i) {
        EXPECT_EQ(read.parts[p].patterns[i].missing_units, plan.parts[p].patterns[i].missing_units);
        EXPECT_EQ(read.parts[p].patterns[i].weight, plan.parts[p].patterns[i].weight);
      }
    }
  }
}

TEST(PlanJson, RefusesEveryValueOutOfPlace) {
  const nlohmann::json good = plan_to_json(plan_with_everything());
  ASSERT_NO_THROW(plan_from_json(good));
  const std::vector<std::pair<const char*, nlohmann::json>> changes = {
      {"/units", 3},
      {"/units", -1},
      {"/units", 4.0},
      {"/units", 4000000000u},
      {"/units", "4"},
      {"/never_missing", {true, false}},
      {"/never_missing/0", 0},
      {"/keep_at_least_one", 1},
      {"/reason_share", 1.5},
      {"/reason_share", nullptr},
      {"/parts", nlohmann::json::array()},
      {"/parts", 1},
      {"/parts/0", nullptr},
      {"/parts/0/weight", 0},
      {"/parts/0/weight", -1},
      {"/parts/0/weight", "1"},
      {"/parts/0/unit_rates/0", 1.5},
      {"/parts/0/unit_rates/0", -0.5},
      {"/parts/0/unit_rates", {0.1, 0.1}},
      {"/parts/0/row_rate", {0.1, 0.2}},
      {"/parts/0/surprise", 1},
      {"/parts/1/row_rate", {0.9, 0.1}},
      {"/parts/1/row_rate", {0.9}},
      {"/parts/1/row_rate/1", 2},
      {"/parts/2/patterns", nlohmann::json::array()},
      {"/parts/2/patterns/0/missing", {0, 4}},
      {"/parts/2/patterns/0/missing", {-1}},
      {"/parts/2/patterns/0/missing", {0.5}},
      {"/parts/2/patterns/0/missing", {0, 0}},
      {"/parts/2/patterns/0/missing", {18446744073709551615u}},
      {"/parts/2/patterns/0/weight", 0},
      {"/own_rates/0/unit", 4},
      {"/own_rates/0/rate", 1.01},
      {"/own_rates/1", {{"unit", 1}, {"rate", 0.5}}},
      {"/correlated/0/strength", 2},
      {"/correlated/0/units", {0, 9}},
      {"/correlated/1", {{"units", {2, 3}}, {"strength", 0.5}}},
      {"/surprise", 1},
  };
  for (const auto& [pointer, value] : changes) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THROW(plan_from_json(bad), ModelFileError) << pointer << " = " << value;
  }
  for (const auto& [key, unused] : good.items()) {
    nlohmann::json bad = good;
    bad.erase(key);
    EXPECT_THROW(plan_from_json(bad), ModelFileError) << "without " << key;
  }
  EXPECT_THROW(plan_from_json(nlohmann::json::array()), ModelFileError);
}

TEST(PaperRate, IsRefusedWithoutUnits) {
  EXPECT_THROW(paper_rate(0), ConfigError);
  EXPECT_THROW(paper_rate(-3), ConfigError);
}

TEST(MakePlan, NeedsToKnowOfEveryUnitWhetherItMayGoMissing) {
  EXPECT_THROW(make_plan({"a", "b"}, {false}, {}), ConfigError);
}

}  // namespace
}  // namespace knockout
