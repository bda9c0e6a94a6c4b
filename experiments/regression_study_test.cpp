// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression_study.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/regression_report.h"
#include "knockout/methods/methods.h"

namespace knockout::experiments {
namespace {

/// Two values: mean 2, deviation sqrt(2), half interval 12.706 * sqrt(2) / sqrt(2).
TEST(OverRepetitions, GivesStudentsInterval) {
  const Repeated found = over_repetitions({1, 3});
  EXPECT_DOUBLE_EQ(found.mean, 2);
  EXPECT_DOUBLE_EQ(found.stddev, std::sqrt(2.0));
  EXPECT_NEAR(found.high, 2 + 12.706, 1e-9);
  EXPECT_TRUE(std::isnan(over_repetitions({1}).low));
}

/// The t quantile of 30 degrees of freedom is 2.0423.
TEST(OverRepetitions, ApproximatesManyDegreesOfFreedom) {
  std::vector<double> values(31, 0.0);
  values[0] = 31;
  const Repeated found = over_repetitions(values);
  EXPECT_NEAR((found.high - found.mean) / (found.stddev / std::sqrt(31.0)), 2.0423, 2e-3);
}

/// Linear imputation knows the truth here but for sampling, and a network of few steps is far from
/// it: what matters is that errors are those of the stated patterns and that numbers can be
/// recomputed.
TEST(RegressionStudy, EveryNumberOfTheReportIsInTheJson) {
  RegressionDesign design;
  MethodOptions options = method_options(Recipe::kOurs);
  options.fit.train.steps = 100;
  design.arms = {{make_method("knockout", options)}, {make_method("common-baseline", options)}};
  design.kinds = {TrainingKind::kComplete, TrainingKind::kMnar};
  design.training_rows = {300};
  design.repetitions = 2;
  design.test_rows = 200;
  design.most_missing = 1;
  Journal journal("", {});
  const RegressionErrors errors = run_regression(design, journal, {});
  const StudyResult result = tell({.name = "test", .title = "test"}, design, errors);

  const auto& found = result.data["results"];
  ASSERT_EQ(found.size(), 2U * 2U * 2U * 2U);  // data, methods, against, missing
  for (const auto& cell : found) {
    const double mean =
        (cell["repetitions"][0].get<double>() + cell["repetitions"][1].get<double>()) / 2;
    EXPECT_NEAR(cell["mean"].get<double>(), mean, 1e-12);
  }
  // The table's first figure is the first mean of the JSON.
  const auto& table = std::get<report::Table>(result.document.sections[1].blocks[1]);
  EXPECT_EQ(table.rows[0][1].substr(0, 6), fmt::format("{:.4f}", found[0]["mean"].get<double>()));
  // Errors against y are those against the optimum plus the optimum's own, but for chance.
  EXPECT_GT(errors.of[0][0][1][0].against_y[1], errors.bayes_against_y[0][1]);
}

/// Two repetitions of two arms: with 0 missing the first leads, with 1 the other wins in both, with
/// 2 it wins by chance.
TEST(RegressionStudy, TheVerdictTellsLeadsTiesAndLosses) {
  RegressionDesign design;
  design.arms = {{make_method("knockout", {})}, {make_method("mice", {})}};
  design.kinds = {TrainingKind::kComplete};
  design.repetitions = 4;
  design.most_missing = 2;
  RegressionErrors errors;
  errors.bayes_against_y.assign(4, {1, 1, 1});
  errors.of = {{{{}, {}}}};
  const double by_chance[] = {9.0, -10.0, 8.0, -9.0};
  for (int repetition = 0; repetition < 4; ++repetition) {
    const std::vector<double> first = {1, 2, 3},
                              other = {5, 1 + 0.01 * repetition, 3 + by_chance[repetition]};
    errors.of[0][0][0].push_back({first, first});
    errors.of[0][0][1].push_back({other, other});
  }
  const auto verdict = tell({.name = "test"}, design, errors).data["verdict"]["bayes"];
  EXPECT_EQ(verdict["led"], 1);
  EXPECT_EQ(verdict["tied"], 1);
  ASSERT_EQ(verdict["lost"].size(), 1U);
  EXPECT_NE(verdict["lost"][0].get<std::string>().find("with 1 missing: MICE"), std::string::npos);
}

}  // namespace
}  // namespace knockout::experiments
