// SPDX-License-Identifier: Apache-2.0
#include "experiments/regression_data.h"

#include <gtest/gtest.h>

#include <cmath>

namespace knockout::experiments {
namespace {

TEST(DrawRows, HasTheMeanAndCovarianceOfTheProblem) {
  const GaussianProblem problem = draw_problem(3, 4);
  const std::size_t rows = 40000;
  const Table table = draw_rows(problem, 3, 0, rows);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      double mean = 0, covariance = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        mean += table.column(i).number(row) / rows;
        covariance += (table.column(i).number(row) - problem.mean(i)) *
                      (table.column(j).number(row) - problem.mean(j)) / rows;
      }
      EXPECT_NEAR(mean, problem.mean(i), 0.03);
      EXPECT_NEAR(covariance, problem.covariance(i, j), 0.05);
    }
  }
}

TEST(DrawRows, GivesARowTheSameValuesInWhateverRangeItIsDrawn) {
  const GaussianProblem problem = draw_problem(1);
  const Table all = draw_rows(problem, 1, 0, 10);
  const Table tail = draw_rows(problem, 1, 7, 3);
  EXPECT_EQ(all.at("y").number(8), tail.at("y").number(1));
  EXPECT_EQ(all.names().front(), "x1");
  EXPECT_EQ(all.names().back(), "y");
}

/// Two inputs, one of them missing: the slope of y on the other is cov(x, y) / var(x).
TEST(BayesPredictions, AreTheRegressionOnWhatIsObserved) {
  const GaussianProblem problem = draw_problem(5, 3);
  const Table table = draw_rows(problem, 5, 0, 20);
  const std::vector<double> predictions = bayes_predictions(problem, table, {0});
  const double slope = problem.covariance(1, 2) / problem.covariance(1, 1);
  for (std::size_t row = 0; row < 20; ++row) {
    EXPECT_NEAR(predictions[row],
                problem.mean(2) + slope * (table.column(1).number(row) - problem.mean(1)), 1e-9);
  }
}

TEST(BayesPredictions, AreTheMeanWhenAllInputsAreMissing) {
  const GaussianProblem problem = draw_problem(5, 3);
  const Table table = draw_rows(problem, 5, 0, 2);
  EXPECT_EQ(bayes_predictions(problem, table, {0, 1}),
            (std::vector<double>{problem.mean(2), problem.mean(2)}));
}

/// The residual of a projection has no covariance with what was projected on.
TEST(BayesPredictions, LeaveResidualsThatTheObservedInputsCannotExplain) {
  const GaussianProblem problem = draw_problem(2, 6);
  const std::size_t rows = 40000;
  const Table table = draw_rows(problem, 2, 0, rows);
  const std::vector<int> missing = {1, 3};
  const std::vector<double> predictions = bayes_predictions(problem, table, missing);
  for (const int input : {0, 2, 4}) {
    double covariance = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      covariance += (table.column(5).number(row) - predictions[row]) *
                    (table.column(input).number(row) - problem.mean(input)) / rows;
    }
    EXPECT_NEAR(covariance, 0.0, 0.03) << input;
  }
}

}  // namespace
}  // namespace knockout::experiments
