// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/evaluation_report.h"

#include <gtest/gtest.h>

#include <limits>

#include "knockout/report/test_values.h"
#include "knockout/report/text.h"

namespace knockout::report {
namespace {

Estimate around(double value, double half = 0.1) {
  return {value, value - half, value + half, half / 1.96};
}

TargetScores scores(const std::vector<Metric>& metrics, double main) {
  TargetScores found{metrics, {}};
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    found.estimates.push_back(around(main + static_cast<double>(i)));
  }
  return found;
}

Schema three_inputs(Task task) {
  Schema schema;
  schema.features = {
      {.name = "age"}, {.name = "x1", .group = "scan"}, {.name = "x2", .group = "scan"}};
  schema.targets = {{.name = "risk", .task = task}};
  if (task == Task::kClassification) schema.targets[0].classes = {"no", "yes"};
  return schema;
}

/// Nothing, each unit, both: losses 1, 3, 2, 5.
Evaluation evaluation_of(Task task) {
  const std::vector<Metric> metrics = metrics_of(task);
  Evaluation found;
  found.targets = three_inputs(task).targets;
  found.rows = 1200;
  const auto add = [&](std::string name, std::size_t missing, std::vector<std::string> columns,
                       double loss) {
    found.patterns.push_back(
        {{std::move(name), missing, {std::move(columns)}}, {scores(metrics, loss)}});
  };
  add("nothing", 0, {}, 1);
  add("age", 1, {"age"}, 3);
  add("scan", 1, {"x1", "x2"}, 2);
  add("age, scan", 2, {"age", "x1", "x2"}, 5);
  const double level_losses[] = {1, 2.5, 5};
  for (std::size_t missing = 0; missing < 3; ++missing) {
    LevelScores level{
        missing, missing == 1 ? 2U : 1U, {scores(metrics, level_losses[missing])}, {}};
    level.calibration.resize(1);
    if (task == Task::kClassification) {
      level.calibration[0] = {{0.1, 0.15, 500}, {0.5, 0.9, 2}, {0.8, 0.7, 698}};
    }
    found.levels.push_back(level);
  }
  found.costs = {{"age", {scores(metrics, 2)}}, {"scan", {scores(metrics, 1)}}};
  found.notes = {"of the 45 patterns with 2 missing, 1 was drawn"};
  found.seconds = 1.5;
  return found;
}

template <typename Wanted>
std::vector<Wanted> all_of_kind(const Document& document) {
  std::vector<Wanted> found;
  for (const Section& section : document.sections) {
    for (const Block& block : section.blocks) {
      if (const auto* one = std::get_if<Wanted>(&block)) found.push_back(*one);
    }
  }
  return found;
}

TEST(EvaluationDocument, SummarisesLossAndTheMostCostlyInput) {
  const Document page =
      evaluation_document(evaluation_of(Task::kRegression), three_inputs(Task::kRegression));
  EXPECT_EQ(page.title, "Predicting risk with inputs missing");
  EXPECT_TRUE(contains(page.summary, "1.00 (0.90 to 1.10) with nothing missing")) << page.summary;
  EXPECT_TRUE(contains(page.summary, "2.50 with 1 input missing"));
  EXPECT_TRUE(contains(page.summary, "5.00 with 2 inputs missing"));
  EXPECT_TRUE(contains(page.summary, "\"age\": it changes MSE by 2.00 (1.90 to 2.10)"));
  EXPECT_FALSE(contains(page.summary, "contains 0"));
  EXPECT_TRUE(contains(page.summary, "1,200 rows under 4 patterns"));
  EXPECT_EQ(page.provenance.seconds, 1.5);
}

TEST(EvaluationDocument, SaysWhenNoInputIsShownToMatter) {
  Evaluation found = evaluation_of(Task::kRegression);
  found.costs = {{"age", {scores(metrics_of(Task::kRegression), 0.05)}}};
  EXPECT_TRUE(contains(evaluation_document(found, three_inputs(Task::kRegression)).summary,
                       "The interval contains 0"));
}

TEST(EvaluationDocument, DrawsTheMainMetricOfEveryLevelWithItsInterval) {
  const Document page =
      evaluation_document(evaluation_of(Task::kRegression), three_inputs(Task::kRegression));
  const std::vector<LineChart> charts = all_of_kind<LineChart>(page);
  ASSERT_EQ(charts.size(), 1U);  // no calibration of numbers
  ASSERT_EQ(charts[0].series.size(), 1U);
  EXPECT_EQ(charts[0].series[0].x, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(charts[0].series[0].y, (std::vector<double>{1, 2.5, 5}));
  EXPECT_EQ(charts[0].series[0].low, (std::vector<double>{0.9, 2.4, 4.9}));
}

TEST(EvaluationDocument, DrawsWhatEachInputCosts) {
  const Document page =
      evaluation_document(evaluation_of(Task::kRegression), three_inputs(Task::kRegression));
  const std::vector<BarChart> charts = all_of_kind<BarChart>(page);
  ASSERT_EQ(charts.size(), 1U);
  ASSERT_EQ(charts[0].bars.size(), 2U);
  EXPECT_EQ(charts[0].bars[0].label, "age");
  EXPECT_EQ(charts[0].bars[1].value, 1);
  EXPECT_EQ(charts[0].bars[1].high, 1.1);
}

TEST(EvaluationDocument, ShowsPatternsByUnitWithTheWorstAfterNothing) {
  const Document page =
      evaluation_document(evaluation_of(Task::kRegression), three_inputs(Task::kRegression));
  const std::vector<PatternGrid> grids = all_of_kind<PatternGrid>(page);
  ASSERT_EQ(grids.size(), 1U);
  const std::size_t age = grids[0].inputs[0] == "age" ? 0 : 1;
  EXPECT_EQ(grids[0].inputs[1 - age], "scan");
  std::vector<double> losses;
  for (const PatternGrid::Pattern& pattern : grids[0].patterns) losses.push_back(*pattern.exact);
  EXPECT_EQ(losses, (std::vector<double>{1, 5, 3, 2}));
  EXPECT_EQ(grids[0].patterns[0].missing, (std::vector<bool>{false, false}));
  EXPECT_EQ(grids[0].patterns[1].missing, (std::vector<bool>{true, true}));
  EXPECT_TRUE(grids[0].patterns[2].missing[age]);
  EXPECT_FALSE(grids[0].patterns[2].missing[1 - age]);
}

TEST(EvaluationDocument, DrawsCalibrationOfClassesWithoutNearlyEmptyBins) {
  const Document page = evaluation_document(evaluation_of(Task::kClassification),
                                            three_inputs(Task::kClassification));
  const std::vector<LineChart> charts = all_of_kind<LineChart>(page);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_TRUE(charts[1].diagonal);
  ASSERT_EQ(charts[1].series.size(), 3U);
  EXPECT_EQ(charts[1].series[0].x, (std::vector<double>{0.1, 0.8}));
  EXPECT_EQ(charts[1].series[0].y, (std::vector<double>{0.15, 0.7}));
}

TEST(EvaluationDocument, TabulatesEveryMetricOfEveryLevel) {
  const Document page = evaluation_document(evaluation_of(Task::kClassification),
                                            three_inputs(Task::kClassification));
  const Table table = all_of_kind<Table>(page).at(0);
  const std::vector<Metric> metrics = metrics_of(Task::kClassification);
  ASSERT_EQ(table.header.size(), 3 + metrics.size());
  EXPECT_EQ(table.header[2], label_of(metrics[0]));
  EXPECT_EQ(table.header.back(), label_of(metrics.back()));
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[1][1], "2");
  EXPECT_EQ(table.rows[1][2], "2.500");
  EXPECT_EQ(table.rows[1][3], "2.400 to 2.600");
  EXPECT_EQ(std::stod(table.rows[1].back()), 2.5 + static_cast<double>(metrics.size() - 1));
}

TEST(EvaluationDocument, HasItsNotesAndStandsUndefinedScores) {
  Evaluation found = evaluation_of(Task::kClassification);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (auto& pattern : found.patterns) pattern.targets[0].estimates[0] = {nan, nan, nan, nan};
  found.levels[1].targets[0].estimates[0] = {nan, nan, nan, nan};
  found.costs[0].differences[0].estimates[0] = {nan, nan, nan, nan};
  const Document page = evaluation_document(found, three_inputs(Task::kClassification));
  const std::vector<Text> texts = all_of_kind<Text>(page);
  EXPECT_EQ(texts.back().text, "Of the 45 patterns with 2 missing, 1 was drawn.");
  EXPECT_TRUE(contains(page.summary, "\"scan\""));
  EXPECT_FALSE(contains(to_html(page), "nan"));
}

TEST(EvaluationDocument, LeavesOutWhatWasNotEvaluated) {
  Evaluation found;
  found.targets = three_inputs(Task::kRegression).targets;
  const Document page = evaluation_document(found, three_inputs(Task::kRegression));
  EXPECT_TRUE(page.sections.empty());
}

}  // namespace
}  // namespace knockout::report
