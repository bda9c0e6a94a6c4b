// SPDX-License-Identifier: Apache-2.0
// What may be the cause of a difference between our figures and those that the paper prints.
#pragma once

#include <string>
#include <vector>

#include "experiments/recipe.h"
#include "experiments/regression_data.h"

namespace knockout::experiments {

/// What the inputs of the regression simulation are scaled by before they reach the network.
enum class InputScale {
  kTraining,   ///< Mean and standard deviation of the training cells that are there: a Z-score.
  kDeviation,  ///< The true mean and standard deviation, which the authors' program knows.
  kVariance,   ///< The true mean and the variance, as the authors' program does it.
};
/// The inputs of a table scaled so; y stays. REQUIRES: not kTraining.
Table scale_inputs(const Table& table, const GaussianProblem& problem, InputScale scale);

/// One thing that may be why our figures differ from those that the paper prints.
struct Cause {
  std::string name;
  std::string label;  ///< As the table calls it.
  PaperRecipe recipe = {};
  InputScale scale = InputScale::kTraining;
};
/// The paper's recipe first, then one change at a time.
std::vector<Cause> classification_causes();
std::vector<Cause> regression_causes();

/// Knockout or, if it forgets why training cells are missing, Knockout- with this change.
std::shared_ptr<const Method> knockout_with(const Cause& cause, bool forget_reasons);

}  // namespace knockout::experiments
