// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "knockout/impute/fitted_imputer.h"
#include "knockout/impute/linear_filler.h"

namespace knockout {

/// Linear regression of what a row lacks on what it has, for any pattern: the conditional
/// expectation under the mean and the covariance of the training table, each entry of which comes
/// from the rows that have both inputs.
class LinearImputer : public MatrixImputer {
 public:
  LinearImputer(ImputerInputs space, const Table& train, const ImputerOptions& options);
  /// Throws ModelFileError.
  static std::unique_ptr<Imputer> read(ImputerSource source);

 private:
  LinearImputer(ImputerInputs space, LinearFiller filler);

  ImputerKind kind() const override { return ImputerKind::kLinear; }
  nlohmann::json write(ImputerArrays& arrays) const override;
  void fill(InputMatrix& inputs, int threads) const override {
    filler_.fill(space_, inputs, threads);
  }

  LinearFiller filler_;
};

}  // namespace knockout
