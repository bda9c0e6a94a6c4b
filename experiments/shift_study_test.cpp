// SPDX-License-Identifier: Apache-2.0
#include "experiments/shift_study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/regression_data.h"

namespace knockout::experiments {
namespace {

/// One training, two tests, four repetitions: the expectation of the second test helps there by 0.2
/// in every repetition and costs 0.1 in the other.
ShiftDesign small_design() {
  ShiftDesign design;
  design.training = {RemoveNothing{}};
  design.testing = {RemoveNothing{}, RemoveGroups{0.5}};
  design.arms = {{"knockout", "Knockout", "knockout"},
                 {"mice", "MICE", "mice"},
                 {"knockout-expects-groups:0.5", "Knockout, expects groups:0.5", "knockout",
                  RemoveGroups{0.5}}};
  design.repetitions = 4;
  return design;
}

TEST(Shift, SaysWhatAnExpectationGainsAndCosts) {
  const ShiftDesign design = small_design();
  const double noise[] = {0.01, -0.01, 0.02, -0.02};
  ShiftLosses losses(1, {3, std::vector<std::vector<double>>(2)});
  for (const double n : noise) {
    losses[0][0][0].push_back(0.3 + n);
    losses[0][0][1].push_back(0.6 + n);
    losses[0][1][0].push_back(0.2 + n);  // MICE certainly leads on complete rows
    losses[0][1][1].push_back(0.9 + n);
    losses[0][2][0].push_back(0.4 + 1.5 * n);
    losses[0][2][1].push_back(0.4 + 0.5 * n);
  }
  const std::vector<Expectation> judged = judge_expectations(design, losses);
  ASSERT_EQ(judged.size(), 1U);
  EXPECT_EQ(judged[0].testing, 1U);
  EXPECT_NEAR(judged[0].met.mean, -0.2, 1e-12);
  EXPECT_LT(judged[0].met.high, 0);
  EXPECT_NEAR(judged[0].not_met.mean, 0.1, 1e-12);
  EXPECT_GT(judged[0].not_met.low, 0);

  const StudyResult told = shift_result(design, losses);
  EXPECT_EQ(told.data["verdict"]["led"], 1);  // what expects the test does not compete
  ASSERT_EQ(told.data["verdict"]["lost"].size(), 1U);
  EXPECT_NE(told.data["verdict"]["lost"][0].get<std::string>().find("MICE 0.200"),
            std::string::npos);
  EXPECT_NE(told.document.summary.find("certainly cost"), std::string::npos);
}

/// With nothing removed and nothing missing, linear imputation's network must come near the best
/// that the Gaussian allows: sqrt(1 - R^2) in closed form.
TEST(Shift, LossesAreThoseOfTheStatedRemovals) {
  ShiftDesign design = small_design();
  design.testing = {RemoveNothing{}, RemoveCells{Mechanism::kMcar, 0.9}};
  design.arms = {{"knockout", "Knockout", "knockout"}};
  design.repetitions = 1;
  design.training_rows = 500;
  design.test_rows = 500;
  design.steps = 500;
  Journal journal("", {});
  const ShiftLosses losses = run_shift(design, journal, {});
  const GaussianProblem problem = draw_problem(repetition_seed(0, 0));
  const Eigen::Index y = problem.inputs();
  const Eigen::VectorXd with_y = problem.covariance.col(y).head(y);
  const double explained = with_y.dot(problem.covariance.topLeftCorner(y, y).llt().solve(with_y)) /
                           problem.covariance(y, y);
  const double best = std::sqrt(1 - explained);
  EXPECT_GT(losses[0][0][0][0], 0.9 * best);
  EXPECT_LT(losses[0][0][0][0], best + 0.25);
  EXPECT_GT(losses[0][0][1][0], losses[0][0][0][0] + 0.1) << "nine of ten cells are gone";
}

}  // namespace
}  // namespace knockout::experiments
