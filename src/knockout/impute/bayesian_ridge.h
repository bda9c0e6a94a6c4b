// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace knockout {

/// Several targets regressed on the same predictors, from sums alone.
struct RidgeEquations {
  std::vector<double> coefficients;  ///< targets x predictors, row-major.
  std::vector<double> constants;     ///< Per target.
  std::vector<double> variances;     ///< Per target, of what the predictors do not explain.
};

/// Bayesian ridge regression (MacKay 1992): the precisions of the noise and of the coefficients are
/// those that maximise the evidence, so nothing is left to choose. `sums` are the products of all
/// columns with each other over the rows learned from, width x width; column `ones` is the constant
/// 1. `predictors` and `targets` are columns.
RidgeEquations bayesian_ridge(const std::vector<double>& sums, std::size_t width, std::size_t ones,
                              std::span<const std::size_t> predictors,
                              std::span<const std::size_t> targets);

}  // namespace knockout
