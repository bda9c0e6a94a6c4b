// SPDX-License-Identifier: Apache-2.0
#include "experiments/causes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace knockout::experiments {
namespace {

TEST(ScaleInputs, GivesTheTrueMeanAndDeviationOrVariance) {
  const GaussianProblem problem = draw_problem(2);
  Table table = draw_rows(problem, 2, 0, 20000);
  table.set_number(7, 3, NAN);
  for (const InputScale scale : {InputScale::kDeviation, InputScale::kVariance}) {
    const Table scaled = scale_inputs(table, problem, scale);
    EXPECT_FALSE(scaled.column(3).observed(7));
    for (std::size_t c = 0; c < 9; ++c) {
      double sum = 0, squares = 0;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        if (row == 7) continue;
        sum += scaled.column(c).number(row);
        squares += scaled.column(c).number(row) * scaled.column(c).number(row);
      }
      const auto count = static_cast<double>(table.rows() - 1);
      const double variance = problem.covariance(static_cast<int>(c), static_cast<int>(c));
      const double expected = scale == InputScale::kDeviation ? 1.0 : 1.0 / variance;
      EXPECT_NEAR(sum / count, 0, 0.05 * std::sqrt(expected)) << c;
      EXPECT_NEAR(squares / count / expected, 1, 0.05) << c;
    }
    EXPECT_EQ(scaled.column(9).number(0), table.column(9).number(0));  // y
  }
}

/// The first is the paper's recipe; every other differs from it, and from the rest.
TEST(Causes, AreAllDifferent) {
  for (const auto& causes : {classification_causes(), regression_causes()}) {
    std::set<std::string> names;
    for (const Cause& cause : causes) names.insert(cause.name);
    EXPECT_EQ(names.size(), causes.size());
    EXPECT_EQ(causes[0].name, "paper");
    EXPECT_EQ(causes[0].scale, InputScale::kTraining);
    EXPECT_FALSE(causes[0].recipe.batch_rows.has_value());
    EXPECT_EQ(causes[0].recipe.schedule, Schedule::kConstant);
    EXPECT_EQ(causes[0].recipe.averaging, 0);
  }
}

}  // namespace
}  // namespace knockout::experiments
