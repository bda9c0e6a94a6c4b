// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "knockout/impute/fitted_imputer.h"

namespace knockout {

/// The mean of the training column, or its most frequent category, in every gap.
class MeanImputer : public FittedImputer {
 public:
  explicit MeanImputer(ImputerInputs space) : FittedImputer(std::move(space)) {}
  /// Throws ModelFileError.
  static std::unique_ptr<Imputer> read(ImputerSource source);

  Table apply(const Table& table, int threads) const override {
    return space_.fill_with_means(table, threads);
  }

 private:
  ImputerKind kind() const override { return ImputerKind::kMean; }
  nlohmann::json write(ImputerArrays& arrays) const override;
};

}  // namespace knockout
