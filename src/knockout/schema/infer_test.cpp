// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/infer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::any_contains;
using test::contains;
using test::kGap;
using test::kReasonGap;
using test::message_of;
using test::numbers;
using test::words;
using Names = std::vector<std::string>;

/// Six rows: a number with a gap, a category, a date, a target.
Table example() {
  return Table(
      {numbers("age", {31.5, kGap, 4, 70, 22, 31.5}), words("port", {"S", "C", "S", "", "Q", "C"}),
       words("day",
             {"2008-12-01", "2009-01-05", "2010-07-30", "2008-12-02", "2011-11-11", "2008-12-01"}),
       numbers("fare", {7.25, 71.3, 8.05, 53.1, 8.4, 51.8}),
       words("survived", {"no", "yes", "yes", "", "no", "no"})},
      "titanic.csv");
}

const Feature& feature(const InferredSchema& inferred, const std::string& name) {
  return inferred.schema.features.at(inferred.schema.find_feature(name).value());
}

std::string reason_of(const InferredSchema& inferred, const std::string& column) {
  for (const UnusedColumn& aside : inferred.set_aside) {
    if (aside.column == column) return aside.reason;
  }
  return "";
}

std::string config_error(const Table& table, const SchemaOptions& options) {
  return message_of<ConfigError>([&] { infer_schema(table, options); });
}

std::string data_error(const Table& table, const SchemaOptions& options) {
  return message_of<DataError>([&] { infer_schema(table, options); });
}

/// 0, 1, 2, .. count - 1.
std::vector<double> counting(int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  return values;
}

// --- kinds ---

TEST(InferSchema, TellsNumbersCategoriesAndDatesApart) {
  const InferredSchema inferred = infer_schema(example(), {.targets = {"survived"}});
  EXPECT_EQ(inferred.schema.feature_names(), (Names{"age", "port", "day", "fare"}));
  EXPECT_EQ(feature(inferred, "age").kind, ColumnKind::kContinuous);
  EXPECT_EQ(feature(inferred, "port").kind, ColumnKind::kCategorical);
  EXPECT_EQ(feature(inferred, "port").categories, (Names{"C", "Q", "S"}));
  EXPECT_EQ(feature(inferred, "day").kind, ColumnKind::kDate);
  ASSERT_EQ(inferred.notes.size(), 1U);
  EXPECT_EQ(inferred.notes[0].code, "missing_labels");
  EXPECT_TRUE(inferred.set_aside.empty());
}

TEST(InferSchema, MakesCategoriesOfNumbersOnRequest) {
  const Table table({numbers("code", {10, 9, kGap, 10.5}), numbers("x", {1, 2, 3, 5})});
  const InferredSchema inferred = infer_schema(table, {.categorical = {"code"}});
  EXPECT_EQ(feature(inferred, "code").kind, ColumnKind::kCategorical);
  EXPECT_EQ(feature(inferred, "code").categories, (Names{"9", "10", "10.5"}));
}

TEST(InferSchema, ReadsWordsThatAreNumbersAsContinuousOnRequest) {
  const Table table({words("x", {"1", "2.5", "", "4"})});
  EXPECT_EQ(feature(infer_schema(table, {.continuous = {"x"}}), "x").kind, ColumnKind::kContinuous);
  EXPECT_EQ(feature(infer_schema(table, {}), "x").kind, ColumnKind::kCategorical);
}

TEST(InferSchema, NamesTheRowOfAWordInAContinuousColumn) {
  const Table table({words("x", {"1", "", "n/k", "4"})}, "d.csv");
  const std::string message = data_error(table, {.continuous = {"x"}});
  EXPECT_TRUE(contains(message, "d.csv:4, column \"x\"")) << message;
  EXPECT_TRUE(contains(message, "`missing_words = n/k`")) << message;
}

TEST(InferSchema, IgnoresWordsOfRowsThatWereSplitOff) {
  const Table table =
      Table({words("c", {"a", "b", "zzz"}), numbers("x", {1, 2, 9})}).take_rows({0, 1});
  EXPECT_EQ(feature(infer_schema(table, {}), "c").categories, (Names{"a", "b"}));
}

// --- columns set aside ---

TEST(InferSchema, SetsConstantEmptyAndIgnoredColumnsAside) {
  const Table table({numbers("same", {2, 2, 2}), words("void", {"", "!", ""}),
                     numbers("x", {1, 2, 4}), numbers("skip", {1, 2, 4})});
  const InferredSchema inferred = infer_schema(table, {.ignore = {"sk*"}});
  EXPECT_EQ(inferred.schema.feature_names(), Names{"x"});
  EXPECT_EQ(reason_of(inferred, "same"), "constant");
  EXPECT_EQ(reason_of(inferred, "void"), "empty");
  EXPECT_EQ(reason_of(inferred, "skip"), "ignored on request");
}

TEST(InferSchema, KeepsOneValueWithGapsUnlessTheGapsAreRandom) {
  const Table table({words("deck", {"Y", "", "Y"}), numbers("x", {1, 2, 4})});
  EXPECT_TRUE(infer_schema(table, {}).schema.find_feature("deck").has_value());
  EXPECT_EQ(reason_of(infer_schema(table, {.missing_at_random = {"all"}}), "deck"), "constant");
}

TEST(InferSchema, SetsIdentifiersAsideAndSaysHowToKeepThem) {
  std::vector<std::string> names, days;
  for (int i = 0; i < 60; ++i) {
    names.push_back(fmt::format("person {}", i));
    days.push_back(fmt::format("20{}-01-01", 10 + i));
  }
  std::vector<double> falling = counting(60), shuffled = counting(60), years, repeated;
  std::reverse(falling.begin(), falling.end());
  std::swap(shuffled[3], shuffled[4]);
  for (int i = 0; i < 60; ++i) years.push_back(1950 + i), repeated.push_back(i * 7 % 59);
  const Table table({words("name", names), words("day", days), numbers("id", counting(60)),
                     numbers("down", falling), numbers("mixed", shuffled), numbers("year", years),
                     numbers("twice", repeated)});
  const InferredSchema inferred = infer_schema(table, {});
  EXPECT_EQ(inferred.schema.feature_names(), (Names{"day", "year", "twice"}));
  EXPECT_TRUE(contains(reason_of(inferred, "name"), "identifier"));
  EXPECT_TRUE(any_contains(inferred.notes, "`categorical = name`"));
  EXPECT_TRUE(any_contains(inferred.notes, "`continuous = id`"));
  EXPECT_TRUE(any_contains(inferred.notes, "`continuous = down`"));

  const InferredSchema kept =
      infer_schema(table, {.categorical = {"name"}, .continuous = {"id", "down", "mixed"}});
  EXPECT_EQ(kept.schema.features.size(), 7U);
  EXPECT_TRUE(kept.set_aside.empty());
}

TEST(InferSchema, TakesShortColumnsForNoIdentifiers) {
  const Table table({numbers("n", counting(19))});
  EXPECT_TRUE(infer_schema(table, {}).schema.find_feature("n").has_value());
}

TEST(InferSchema, RefusesATableWithoutAnyUsableInput) {
  const Table table({numbers("same", {2, 2}), numbers("y", {1.5, 2})});
  EXPECT_TRUE(contains(data_error(table, {.targets = {"y"}}), "no column is left"));
}

// --- hints ---

TEST(InferSchema, HintsOnceAtColumnsOfSmallIntegers) {
  const Table table({numbers("a code", {1, 2, 3, 1}), numbers("b", {0, 5, 7, 7}),
                     numbers("two", {0, 1, 0, 1}), numbers("large", {100, 200, 300, 100}),
                     numbers("real", {0.5, 1, 2, 3})});
  const InferredSchema inferred = infer_schema(table, {});
  ASSERT_EQ(inferred.notes.size(), 1U);
  EXPECT_TRUE(contains(inferred.notes[0].text, "\"a code\", \"b\"."));
  EXPECT_TRUE(contains(inferred.notes[0].text, "`categorical = a code`"));
  EXPECT_TRUE(infer_schema(table, {.categorical = {"b"}, .continuous = {"a code"}}).notes.empty());
}

TEST(InferSchema, WarnsOfAThousandCategories) {
  std::vector<std::string> values;
  for (int i = 0; i < 2400; ++i) values.push_back(fmt::format("w{}", i % 1001));
  EXPECT_TRUE(any_contains(infer_schema(Table({words("w", values)}), {}).notes,
                           "\"w\" has 1001 categories"));
}

TEST(InferSchema, WarnsOfAColumnThatIsTheClassUnderAnotherName) {
  std::vector<std::string> label, alias, near;
  for (int i = 0; i < 30; ++i) {
    label.push_back(i % 3 == 0 ? "yes" : "no");
    alias.push_back(i == 7 ? "" : i % 3 == 0 ? "alive" : "dead");
    near.push_back(i == 8 || i % 3 == 0 ? "alive" : "dead");
  }
  const InferredSchema inferred = infer_schema(
      Table({words("alias", alias), words("near", near), words("y", label)}), {.targets = {"y"}});
  ASSERT_EQ(inferred.notes.size(), 1U);
  EXPECT_TRUE(contains(inferred.notes[0].text, "`ignore = alias`"));
}

TEST(InferSchema, WarnsOfAColumnThatIsTheTargetInOtherUnits) {
  std::vector<double> celsius, fahrenheit, noisy;
  for (int i = 0; i < 30; ++i) {
    celsius.push_back((i * 7) % 30 + 0.25);
    fahrenheit.push_back(celsius.back() * 1.8 + 32);
    noisy.push_back(celsius.back() + (i == 15 ? 9.0 : 0.0));
  }
  const InferredSchema inferred = infer_schema(
      Table({numbers("f", fahrenheit), numbers("noisy", noisy), numbers("c", celsius)}),
      {.targets = {"c"}});
  ASSERT_EQ(inferred.notes.size(), 1U);
  EXPECT_TRUE(contains(inferred.notes[0].text, "`ignore = f`"));
}

TEST(InferSchema, WarnsOfColumnsThatSayAlmostTheSame) {
  std::vector<double> target, squared, copy;
  std::vector<std::string> group, renamed;
  for (int i = 0; i < 40; ++i) {
    target.push_back((i * 7) % 40 + 0.25);
    squared.push_back(target.back() * target.back());
    copy.push_back((i * 11) % 17 + 0.5);
    group.push_back(i % 3 == 0 ? "a" : "b");
    renamed.push_back(i % 3 == 0 ? "x" : "y");
  }
  const InferredSchema inferred =
      infer_schema(Table({numbers("sq", squared), numbers("c1", copy), numbers("c2", copy),
                          words("g", group), words("h", renamed), numbers("y", target)}),
                   {.targets = {"y"}});
  std::vector<std::string> found;
  for (const Note& note : inferred.notes) found.push_back(note.code + " " + note.column);
  EXPECT_EQ(found, (Names{"leak sq", "duplicate_column c2", "duplicate_column h"}));
  EXPECT_TRUE(any_contains(inferred.notes, "\"sq\" says almost exactly what"));
  EXPECT_TRUE(any_contains(inferred.notes, "\"h\" holds the same as \"g\" under other names"));
  EXPECT_EQ(inferred.schema.features.size(), 5U);
}

// --- targets ---

TEST(InferSchema, PredictsWordsAsClassesAndNumbersAsAmounts) {
  EXPECT_EQ(infer_schema(example(), {.targets = {"survived"}}).schema.targets[0].classes,
            (Names{"no", "yes"}));
  const Schema fare = infer_schema(example(), {.targets = {"fare"}}).schema;
  EXPECT_EQ(fare.targets[0].task, Task::kRegression);
  EXPECT_FALSE(fare.find_feature("fare").has_value());
}

TEST(InferSchema, TakesFewIntegersAsClassesAndSaysSo) {
  const Table table({numbers("x", {1, 2, 3.5}), numbers("y", {1, 0, kGap})});
  const InferredSchema inferred = infer_schema(table, {.targets = {"y"}});
  EXPECT_EQ(inferred.schema.targets[0].task, Task::kClassification);
  EXPECT_EQ(inferred.schema.targets[0].classes, (Names{"0", "1"}));
  EXPECT_TRUE(any_contains(inferred.notes, "`task = regression`"));

  for (const SchemaOptions& options : {SchemaOptions{.targets = {"y"}, .task = Task::kRegression},
                                       SchemaOptions{.targets = {"y"}, .continuous = {"y"}}}) {
    const InferredSchema said = infer_schema(table, options);
    EXPECT_EQ(said.schema.targets[0].task, Task::kRegression);
    EXPECT_FALSE(any_contains(said.notes, "`task"));
  }
}

TEST(InferSchema, TakesElevenIntegersAsAmounts) {
  const Table table({numbers("x", counting(11)), numbers("y", counting(11))});
  EXPECT_EQ(infer_schema(table, {.targets = {"y"}}).schema.targets[0].task, Task::kRegression);
  EXPECT_EQ(infer_schema(table, {.targets = {"y"}, .task = Task::kClassification})
                .schema.targets[0]
                .classes.size(),
            11U);
}

TEST(InferSchema, AllowsSeveralTargets) {
  const Schema schema = infer_schema(example(), {.targets = {"survived", "fare"}}).schema;
  ASSERT_EQ(schema.targets.size(), 2U);
  EXPECT_EQ(schema.targets[0].name, "fare");  // in table order
  EXPECT_EQ(schema.targets[1].name, "survived");
}

TEST(InferSchema, RefusesTargetsThatTeachNothing) {
  const Table table({numbers("x", {1, 2, 3.5}), words("none", {"", "", ""}),
                     words("one", {"a", "", "a"}), numbers("flat", {2.5, 2.5, kGap})},
                    "d.csv");
  EXPECT_TRUE(contains(data_error(table, {.targets = {"none"}}), "no label"));
  EXPECT_TRUE(contains(data_error(table, {.targets = {"one"}}), "single class, \"a\""));
  EXPECT_TRUE(contains(data_error(table, {.targets = {"flat"}}), "2.5 in every row"));
}

TEST(InferSchema, RefusesRegressionOnWordsWithTheRowAndTheFix) {
  const std::string message =
      data_error(example(), {.targets = {"survived"}, .task = Task::kRegression});
  EXPECT_TRUE(contains(message, "titanic.csv:2, column \"survived\"")) << message;
  EXPECT_TRUE(contains(message, "`task = classification`")) << message;
}

TEST(InferSchema, RefusesContradictingTasks) {
  EXPECT_TRUE(contains(
      config_error(example(),
                   {.targets = {"fare"}, .task = Task::kRegression, .categorical = {"fare"}}),
      "contradicts"));
}

TEST(InferSchema, ChecksTheWeightColumn) {
  const auto with_weights = [](Column weights) {
    return Table({numbers("x", {1, 2, 3.5}), std::move(weights), numbers("y", {0.5, 1, 2})},
                 "d.csv");
  };
  const SchemaOptions options{.targets = {"y"}, .weight_column = "w"};
  const Schema schema = infer_schema(with_weights(numbers("w", {0, 1, 2})), options).schema;
  EXPECT_EQ(schema.weight_column, "w");
  EXPECT_EQ(schema.feature_names(), Names{"x"});
  EXPECT_TRUE(contains(data_error(with_weights(numbers("w", {0, kGap, 2})), options), "d.csv:3"));
  EXPECT_TRUE(contains(data_error(with_weights(numbers("w", {0, 1, -2})), options), "d.csv:4"));
  EXPECT_NE(data_error(with_weights(numbers("w", {0, 0, 0})), options), "");
  EXPECT_NE(data_error(with_weights(words("w", {"a", "b", "c"})), options), "");
}

// --- options ---

TEST(InferSchema, DeclaresSupportsByRange) {
  const Schema schema = infer_schema(example(), {.ranges = {{"age", 0, 120}, {"fare", 0}}}).schema;
  EXPECT_EQ(schema.features[0].lower, 0.0);
  EXPECT_EQ(schema.features[0].upper, 120.0);
  EXPECT_EQ(schema.features[3].lower, 0.0);
  EXPECT_FALSE(schema.features[3].upper.has_value());
}

TEST(InferSchema, AddsSidesOfRangesAndPrefersNamesToPatterns) {
  const Schema sides = infer_schema(example(), {.ranges = {{"age", 0}, {"age", {}, 99}}}).schema;
  EXPECT_EQ(sides.features[0].lower, 0.0);
  EXPECT_EQ(sides.features[0].upper, 99.0);
  const Schema named = infer_schema(example(), {.ranges = {{"age", -1}, {"*", 0}}}).schema;
  EXPECT_EQ(named.features[0].lower, -1.0);
  EXPECT_EQ(named.features[3].lower, 0.0);
}

TEST(InferSchema, NamesRowValueAndRangeOfAViolation) {
  const std::string message = data_error(example(), {.ranges = {{"age", 5, 60}}});
  EXPECT_TRUE(contains(message, "titanic.csv:4, column \"age\": 4 ")) << message;
  EXPECT_TRUE(contains(message, "5:60")) << message;
  EXPECT_TRUE(contains(message, "`ranges = age=")) << message;
}

TEST(InferSchema, RefusesRangesThatAreNone) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<ColumnRange> none_of_these = {
      {"age"},          {"age", 9, 1},          {"age", 1, 1},  {"", 0, 1},
      {"age", kNan, 5}, {"age", -1e308, 1e308}, {"port", 0, 1}, {"day", 0},
      {"agee", 0},      {"age", 0, kInfinity}};
  for (const ColumnRange& range : none_of_these) {
    EXPECT_NE(config_error(example(), {.ranges = {range}}), "") << range.column;
  }
  EXPECT_NE(config_error(example(), {.ranges = {{"age", 0}, {"age", 1}}}), "");
  EXPECT_NE(config_error(example(), {.ranges = {{"age", 90}, {"age", {}, 80}}}), "");
}

TEST(InferSchema, GroupsColumnsByPattern) {
  const Schema schema =
      infer_schema(example(), {.targets = {"survived"},
                               .groups = {{"trip", {"fare", "p*"}}, {"all_else", {"age"}}}})
          .schema;
  EXPECT_EQ(schema.features[0].group, "all_else");
  EXPECT_EQ(schema.features[1].group, "trip");
  EXPECT_EQ(schema.features[2].group, "");
  EXPECT_EQ(schema.features[3].group, "trip");
}

TEST(InferSchema, LetsPatternsPassOverTheTarget) {
  const Schema schema =
      infer_schema(example(),
                   {.targets = {"survived"}, .ignore = {"s*", "day"}, .groups = {{"g", {"*"}}}})
          .schema;
  EXPECT_EQ(schema.feature_names(), (Names{"age", "port", "fare"}));
  EXPECT_EQ(schema.features[0].group, "g");
  EXPECT_EQ(schema.targets.size(), 1U);
}

TEST(InferSchema, RefusesContradictingOptions) {
  const auto refused = [](SchemaOptions options) {
    options.targets = {"survived"};
    return config_error(example(), options);
  };
  EXPECT_TRUE(
      contains(refused({.groups = {{"a", {"age"}}, {"b", {"age", "fare"}}}}), "two groups"));
  EXPECT_TRUE(contains(refused({.groups = {{"fare", {"age", "port"}}}}), "also a column"));
  EXPECT_EQ(refused({.groups = {{"fare", {"age", "fare"}}}}), "");
  EXPECT_NE(refused({.groups = {{"", {"age"}}}}), "");
  EXPECT_NE(refused({.groups = {{"g", {}}}}), "");
  EXPECT_TRUE(contains(refused({.groups = {{"g", {"survived"}}}}), "a target"));
  EXPECT_TRUE(contains(refused({.ignore = {"survived"}}), "a target"));
  EXPECT_NE(refused({.never_missing = {"survived"}}), "");
  EXPECT_NE(refused({.ranges = {{"survived", 0, 1}}}), "");
  EXPECT_TRUE(contains(refused({.ignore = {"fare"}, .groups = {{"g", {"fare"}}}}), "`ignore`"));
  EXPECT_NE(refused({.ignore = {"fare"}, .weight_column = "fare"}), "");
  EXPECT_NE(refused({.weight_column = "survived"}), "");
  EXPECT_NE(refused({.categorical = {"fare"}, .continuous = {"f*"}}), "");
  EXPECT_TRUE(contains(refused({.never_missing = {"fare"}, .groups = {{"g", {"fare", "day"}}}}),
                       "all of them"));
}

TEST(InferSchema, SuggestsTheNearestColumn) {
  EXPECT_TRUE(contains(config_error(example(), {.targets = {"Survived"}}), "\"survived\"?"));
  EXPECT_TRUE(contains(config_error(example(), {.weight_column = "far"}), "\"fare\"?"));
}

TEST(InferSchema, RefusesGapsInColumnsThatAreNeverMissing) {
  const std::string message = data_error(example(), {.never_missing = {"age", "fare"}});
  EXPECT_TRUE(contains(message, "titanic.csv:3, column \"age\"")) << message;
  EXPECT_TRUE(
      infer_schema(example(), {.never_missing = {"fare"}}).schema.features[3].never_missing);
}

TEST(InferSchema, GivesGapsAMeaningPerColumn) {
  const Schema schema = infer_schema(example(), {.missing_at_random = {"ag*", "fare"}}).schema;
  EXPECT_EQ(schema.features[0].training_gaps, GapMeaning::kAtRandom);
  EXPECT_EQ(schema.features[1].training_gaps, GapMeaning::kForAReason);
  EXPECT_EQ(schema.features[3].training_gaps, GapMeaning::kNone);
  const Schema all = infer_schema(example(), {.missing_at_random = {"all"}}).schema;
  EXPECT_EQ(all.features[1].training_gaps, GapMeaning::kAtRandom);
}

TEST(InferSchema, TakesInfinitiesInMemoryAsGapsForAReason) {
  const Table table({numbers("x", {1, kGap, kReasonGap}), numbers("z", {1, 2, 3.5})});
  EXPECT_EQ(feature(infer_schema(table, {}), "x").training_gaps, GapMeaning::kForAReason);
}

TEST(InferSchema, PointsAtSpellingsOfCategoriesAndClasses) {
  const Table table(
      {words("smokes", {"Yes", "yes", "no", "no"}), words("y", {"A", "b", "B", "A"})});
  const InferredSchema inferred = infer_schema(table, {.targets = {"y"}});
  ASSERT_EQ(inferred.notes.size(), 2U);
  EXPECT_EQ(inferred.notes[0].code + " " + inferred.notes[0].column, "spelling y");
  EXPECT_EQ(inferred.notes[1].code + " " + inferred.notes[1].column, "spelling smokes");
  EXPECT_EQ(feature(inferred, "smokes").categories.size(), 3U);  // nothing is merged
}

TEST(InferSchema, WarnsOfGapsThatGiveTheTargetAway) {
  std::vector<std::string> outcome, reason;
  for (int i = 0; i < 40; ++i) {
    outcome.push_back(i % 4 == 0 ? "left" : "stayed");
    reason.push_back(i % 4 != 0 ? "" : i % 8 == 0 ? "price" : "service");
  }
  const Table table({words("reason", reason), words("y", outcome)});
  const InferredSchema inferred = infer_schema(table, {.targets = {"y"}});
  ASSERT_EQ(inferred.notes.size(), 1U);
  EXPECT_EQ(inferred.notes[0].code, "leak");
  EXPECT_TRUE(contains(inferred.notes[0].text, "for one class of the target"));
}

TEST(ExpandColumns, KeepsTableOrderAndLetsExactNamesWin) {
  const Names names = {"*ID", "a_ID", "b", "all"};
  EXPECT_EQ(expand_columns({"b", "a_*"}, names, "x"), (Names{"a_ID", "b"}));
  EXPECT_EQ(expand_columns({"*ID"}, names, "x"), Names{"*ID"});
  EXPECT_EQ(expand_columns({"all"}, names, "x"), Names{"all"});
  EXPECT_EQ(expand_columns({"all"}, {"p", "q"}, "x"), (Names{"p", "q"}));
  EXPECT_TRUE(
      contains(message_of<ConfigError>([&] { expand_columns({"c"}, names, "x"); }), "`x = c`"));
}

}  // namespace
}  // namespace knockout
