// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "knockout/impute/fitted_imputer.h"
#include "knockout/impute/linear_filler.h"

namespace knockout {

/// Chained equations (van Buuren 2011) without random draws: each input is regressed on all others
/// by Bayesian ridge, its gaps are replaced by what the regression says, and round after round of
/// this settles. A new row's gaps are filled with the point at which the last round's equations
/// settle for it.
class MiceImputer : public MatrixImputer {
 public:
  MiceImputer(ImputerInputs space, const Table& train, const ImputerOptions& options);
  /// Throws ModelFileError.
  static std::unique_ptr<Imputer> read(ImputerSource source);

 private:
  MiceImputer(ImputerInputs space, LinearFiller filler);

  ImputerKind kind() const override { return ImputerKind::kMice; }
  nlohmann::json write(ImputerArrays& arrays) const override;
  void fill(InputMatrix& inputs, int threads) const override {
    filler_.fill(space_, inputs, threads);
  }

  LinearFiller filler_;
};

}  // namespace knockout
