// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/impute/linear_filler.h"
#include "knockout/impute/matrix_imputer.h"

namespace knockout {

/// Linear regression of what a row lacks on what it has, for any pattern: the conditional
/// expectation under the mean and the covariance of the training table, each entry of which comes
/// from the rows that have both inputs.
class LinearImputer : public MatrixImputer {
 public:
  LinearImputer(ImputerInputs space, const Table& train, int threads);

 private:
  void fill(InputMatrix& inputs, int threads) const override {
    filler_.fill(space_, inputs, threads);
  }

  LinearFiller filler_;
};

}  // namespace knockout
