// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/data/table.h"

namespace knockout::experiments {

/// Jointly Gaussian variables, the last of which is to be predicted: the paper's regression
/// simulation. Its best prediction under any set of missing inputs is a formula.
struct GaussianProblem {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
  Eigen::MatrixXd factor;  ///< covariance = factor^T factor.

  int inputs() const { return static_cast<int>(mean.size()) - 1; }
};

/// One repetition as the paper draws it: mean ~ U(0,1)^d, covariance W^T W with W ~ U(0,1)^(d x d).
GaussianProblem draw_problem(std::uint64_t seed, int variables = 10);

/// Rows `first_row` to `first_row + rows` of an endless table of draws: columns x1, x2, ..., y. Two
/// ranges that do not overlap are independent.
Table draw_rows(const GaussianProblem& problem, std::uint64_t seed, std::size_t first_row,
                std::size_t rows);

/// E[y | the inputs that are not in `missing`] for every row of a complete table. `missing` holds
/// positions of inputs, ascending.
std::vector<double> bayes_predictions(const GaussianProblem& problem, const Table& table,
                                      const std::vector<int>& missing);

}  // namespace knockout::experiments
