// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "knockout/impute/imputer.h"
#include "knockout/impute/input_matrix.h"

namespace knockout {

/// An imputer that works on numbers: what all but the simplest share.
class MatrixImputer : public Imputer {
 public:
  Table apply(const Table& table, int threads) const final {
    InputMatrix inputs = space_.read(table, threads);
    fill(inputs, threads);
    return space_.write(table, inputs, threads);
  }

 protected:
  explicit MatrixImputer(ImputerInputs space) : space_(std::move(space)) {}
  /// Writes into the values of every gap, each row by itself; leaves `gaps` as it is.
  virtual void fill(InputMatrix& inputs, int threads) const = 0;

  const ImputerInputs space_;
};

}  // namespace knockout
