// SPDX-License-Identifier: Apache-2.0
// What is asked for and inferred, read and shown. How ordered categories are encoded:
// encode/encoder_ordered_test.cpp.
#include "knockout/schema/kinds/ordered.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::any_contains;
using test::contains;
using test::kGap;
using test::message_of;
using test::numbers;
using test::words;
using Words = std::vector<std::string>;

const Words kSeverity = {"none", "mild", "severe"};

Table patients() {
  return Table({words("severity", {"mild", "none", "", "mild", "severe"}),
                numbers("y", {1.5, 2.5, 3.5, 4.5, 5.5})},
               "patients.csv");
}

TEST(Ordered, KeepsTheLevelsInTheirOrder) {
  const InferredSchema inferred =
      infer_schema(patients(), {.targets = {"y"}, .ordered = {{"severity", kSeverity}}});
  const Feature& feature = inferred.schema.features.at(0);
  EXPECT_EQ(feature.kind, ColumnKind::kOrdered);
  EXPECT_EQ(feature.categories, kSeverity);
  EXPECT_EQ(feature.training_gaps, GapMeaning::kForAReason);
  EXPECT_TRUE(inferred.notes.empty());
}

TEST(Ordered, NamesLineColumnAndFixOfAWordThatIsNoLevel) {
  const std::string message = message_of<DataError>([] {
    infer_schema(patients(), {.ordered = {{"severity", {"none", "mild", "sever"}}}});
  });
  for (const char* part : {"patients.csv:6, column \"severity\"", "\"severe\" is not one of the",
                           "\"sever\"?", "none, mild, sever", "`ordered`", "`missing_words"}) {
    EXPECT_TRUE(contains(message, part)) << part << "\n" << message;
  }
}

TEST(Ordered, AllowsALevelThatNeverOccursAndSaysSo) {
  const InferredSchema inferred =
      infer_schema(patients(), {.ordered = {{"severity", {"none", "mild", "severe", "fatal"}}}});
  EXPECT_EQ(inferred.schema.features.at(0).categories.size(), 4U);
  EXPECT_TRUE(any_contains(inferred.notes, "No row of \"severity\" has the level \"fatal\""));
}

TEST(Ordered, MatchesNumbersByValue) {
  const Table table({numbers("grade", {1, 3, 2, kGap}), numbers("y", {1.5, 2.5, 3.5, 4.5})});
  const Feature feature =
      infer_schema(table, {.ordered = {{"grade", {"1.0", "2", "3"}}}}).schema.features.at(0);
  const auto labels = labels_for(feature);
  const CellReader cells(feature, &table.column(0), labels.get());
  EXPECT_EQ(cells.reading(0), 0.0);
  EXPECT_EQ(cells.reading(1), 2.0);
  EXPECT_EQ(cells.reading(2), 1.0);
}

TEST(Ordered, RefusesALevelThatIsListedTwiceInOtherDigits) {
  const Table table({numbers("pain", {1, 2, 1, 2})}, "d.csv");
  for (const std::string& last : {"1", "1.0"}) {
    const std::vector<ColumnLevels> said = {{"pain", {"1", "2", last}}};
    EXPECT_TRUE(contains(message_of<ConfigError>([&] { infer_schema(table, {.ordered = said}); }),
                         "the level \"" + last + "\" is listed twice"));
  }
}

TEST(Ordered, TakesAPatternForSeveralColumns) {
  const Table table({words("q_1", {"low", "high"}), words("q_2", {"high", "low"})});
  const Schema schema = infer_schema(table, {.ordered = {{"q_*", {"low", "high"}}}}).schema;
  ASSERT_EQ(schema.features.size(), 2U);
  for (const Feature& feature : schema.features) EXPECT_EQ(feature.kind, ColumnKind::kOrdered);
}

TEST(Ordered, RefusesWhatIsNoOrderAndWhatContradictsIt) {
  const std::vector<std::pair<SchemaOptions, const char*>> bad = {
      {{.ordered = {{"severity", {"mild"}}}}, "at least two levels"},
      {{.ordered = {{"severity", {"mild", ""}}}}, "no name"},
      {{.ordered = {{"severity", {"1", "2", "1.0"}}}}, "\"1.0\" is listed twice"},
      {{.ordered = {{"severty", kSeverity}}}, "\"severity\"?"},
      {{.categorical = {"severity"}, .ordered = {{"severity", kSeverity}}},
       "`categorical` and by `ordered`"},
      {{.targets = {"severity"}, .ordered = {{"severity", kSeverity}}}, "is for input columns"},
      {{.ordered = {{"severity", kSeverity}}, .ranges = {{"severity", 0.0, 1.0}}},
       "only numbers have a range"}};
  for (const auto& [options, reason] : bad) {
    const std::string message =
        message_of<ConfigError>([&, &options = options] { infer_schema(patients(), options); });
    EXPECT_TRUE(contains(message, reason)) << reason << "\n" << message;
  }
}

TEST(Ordered, ShowsEveryLevelInItsOrder) {
  const InferredSchema inferred =
      infer_schema(patients(), {.ordered = {{"severity", {"none", "mild", "severe", "fatal"}}}});
  const ColumnSummary summary = summarise_columns(patients(), inferred)[0];
  EXPECT_EQ(summary.distinct, 3U);
  EXPECT_EQ(summary.counts_name, "levels");
  ASSERT_EQ(summary.counts.size(), 4U);
  const std::vector<std::size_t> rows = {1, 2, 1, 0};
  for (std::size_t level = 0; level < rows.size(); ++level) {
    EXPECT_EQ(summary.counts[level].rows, rows[level]) << summary.counts[level].label;
  }
}

}  // namespace
}  // namespace knockout
