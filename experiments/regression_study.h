// SPDX-License-Identifier: Apache-2.0
// The paper's regression simulation: Figure 1 and what is varied about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/jobs.h"
#include "experiments/regression_data.h"
#include "experiments/study.h"
#include "knockout/model/method.h"

namespace knockout::experiments {

/// How the training data go missing; test data are complete until a pattern hides inputs.
enum class TrainingKind {
  kComplete,
  kMcar,  ///< Each cell with probability 0.1.
  kMnar,  ///< What lies above its column's 90th percentile.
};
std::string_view to_string(TrainingKind kind);  ///< "complete", "mcar", "mnar"

/// A method under study. Slow ones are tested on fewer rows.
struct Arm {
  std::shared_ptr<const Method> method;
  bool slow = false;
  /// What it is shown of training and test rows; empty = themselves.
  std::function<Table(const Table&, const GaussianProblem&)> prepare = {};
};

/// What is trained and tested.
struct RegressionDesign {
  std::vector<Arm> arms;
  std::vector<TrainingKind> kinds;
  std::vector<std::size_t> training_rows = {3000};
  int repetitions = 10;
  std::uint64_t seed = 0;
  std::size_t test_rows = 27000;
  std::size_t slow_test_rows = 1000;
  int most_missing = 3;  ///< All patterns with 0 to so many inputs missing: 130.
};

/// Mean squared errors of one trained method, by number of missing inputs: averages over the
/// patterns of that size.
struct ArmErrors {
  std::vector<double> against_bayes;  ///< Against E[Y | the inputs left].
  std::vector<double> against_y;
  double fit_seconds = 0, predict_seconds = 0;
};

/// [kind][training rows][arm][repetition]; and the error of the Bayes optimum itself against y,
/// [kind] left out, since test data are the same: [repetition][missing].
struct RegressionErrors {
  std::vector<std::vector<std::vector<std::vector<ArmErrors>>>> of;
  std::vector<std::vector<double>> bayes_against_y;
};

RegressionErrors run_regression(const RegressionDesign& design, Journal& journal,
                                const StudyContext& run);

StudyResult reproduce_regression(const StudyOptions& options);
StudyResult reproduce_placeholder_ablation(const StudyOptions& options);
StudyResult reproduce_mnar_ablation(const StudyOptions& options);
StudyResult reproduce_training_size(const StudyOptions& options);

}  // namespace knockout::experiments
