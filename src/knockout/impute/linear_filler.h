// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "knockout/impute/imputer_arrays.h"
#include "knockout/impute/input_matrix.h"

namespace knockout {

/// Rows that miss the same inputs.
struct PatternRows {
  std::vector<std::size_t> missing;  ///< Positions of features.
  std::vector<std::size_t> rows;
};

/// The rows that have gaps, by pattern, in the order of their first row.
std::vector<PatternRows> group_by_pattern(const InputMatrix& inputs);

/// Fills gaps from equations that are linear in the coordinates of an ImputerInputs. Of a row whose
/// coordinates x are missing at M and known at O, the filling solves
///   equations[M, M] x[M] = constants[M] - equations[M, O] x[O].
/// With an inverse covariance and no constants this is the conditional expectation of a Gaussian;
/// with 1 on the diagonal and regression coefficients, negated, elsewhere it is the point at which
/// chained equations settle. One factorisation per pattern, of the size of what is missing. What a
/// row is filled with depends on that row alone, to the bit.
class LinearFiller {
 public:
  LinearFiller() = default;
  /// `equations` is row-major, a square of as many rows as there are `constants`.
  LinearFiller(std::vector<double> equations, std::vector<double> constants);

  /// Throws ModelFileError unless the arrays hold the equations of so many coordinates.
  LinearFiller(ImputerArrays& arrays, std::size_t width);
  void write(ImputerArrays& arrays) const;

  void fill(const ImputerInputs& space, InputMatrix& inputs, int threads) const;

 private:
  void fill_rows(const ImputerInputs& space, const PatternRows& pattern, std::size_t begin,
                 std::size_t end, InputMatrix& inputs) const;

  std::vector<double> equations_;
  std::vector<double> constants_;
};

}  // namespace knockout
