// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "knockout/impute/fitted_imputer.h"

namespace knockout {

/// Chained random forests (Stekhoven and Buehlmann 2012): each input is learned from all others by
/// a forest, its gaps are replaced by what the forest says, and this is repeated until the fillings
/// no longer come closer to each other. A new row's gaps are filled by a few rounds of the same
/// forests.
class MissForestImputer : public MatrixImputer {
 public:
  MissForestImputer(ImputerInputs space, const Table& train, const ImputerOptions& options);
  /// Throws ModelFileError.
  static std::unique_ptr<Imputer> read(ImputerSource source);

 private:
  class Forest;
  using Forests = std::vector<std::shared_ptr<const Forest>>;

  MissForestImputer(ImputerInputs space, std::vector<std::size_t> order, Forests forests);

  ImputerKind kind() const override { return ImputerKind::kMissForest; }
  nlohmann::json write(ImputerArrays& arrays) const override;

  void fill(InputMatrix& inputs, int threads) const override;

  std::vector<std::size_t> order_;  ///< Features by ascending number of gaps in training.
  Forests forests_;                 ///< Per feature; none where there is nothing to learn.
};

}  // namespace knockout
