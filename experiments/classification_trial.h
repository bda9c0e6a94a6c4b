// SPDX-License-Identifier: Apache-2.0
// One training of one method on a classification simulation, and what is measured of it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "experiments/classification_data.h"
#include "knockout/model/method.h"

namespace knockout::experiments {

inline const std::vector<std::string> kClassificationInputs = {"x1", "x2"};
inline constexpr std::size_t kClassificationRows = 30000, kClassificationTrainingRows = 3000;

/// One repetition's data, as every method sees them.
struct ClassificationRepetition {
  Table all, training, test;
  std::vector<MarginalBins> bins;  ///< Of x1, of x2.
};
ClassificationRepetition draw_repetition(ClassificationProblem problem, std::uint64_t seed);

/// What one training of one method showed.
struct ClassificationOutcome {
  double error = 0;                            ///< With both inputs.
  std::vector<double> error_with;              ///< With x1 alone, with x2 alone.
  std::vector<std::vector<double>> marginals;  ///< Predicted P(y = 1 | input) at the bins.
};
/// Draws a repetition, trains and tests; as a journal keeps it.
nlohmann::json run_trial(ClassificationProblem problem, const Method& method, std::uint64_t seed,
                         const std::function<void(double)>& progress);
ClassificationOutcome outcome_from(const nlohmann::json& trial);

/// A column of the paper's table.
struct ClassificationMeasure {
  std::string name, label;
  std::function<double(const ClassificationOutcome&, const ClassificationRepetition&)> of;
};
/// error, then error, jsd and jsd_paper with x1 alone, and the same with x2.
std::vector<ClassificationMeasure> classification_measures();

}  // namespace knockout::experiments
