// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "knockout/impute/fitted_imputer.h"

namespace knockout {

/// The mean, or the most frequent category, of the nearest training rows that have the input. Near
/// is a Euclidean distance over the inputs that both rows have, scaled up to all inputs (Dixon
/// 1979); two different categories are as far apart as two random numbers are on average. Of two
/// training rows that are equally near, the earlier one comes first.
class KnnImputer : public MatrixImputer {
 public:
  KnnImputer(const ImputerInputs& space, const Table& train, const ImputerOptions& options);
  /// Throws ModelFileError.
  static std::unique_ptr<Imputer> read(ImputerSource source);

 private:
  class Search;

  KnnImputer(ImputerInputs space, InputMatrix train, std::size_t neighbors);

  ImputerKind kind() const override { return ImputerKind::kKnn; }
  nlohmann::json write(ImputerArrays& arrays) const override;

  void fill(InputMatrix& inputs, int threads) const override;

  std::size_t neighbors_;
  InputMatrix train_;
  /// Per training row, what a product with a new row's side makes the squared distance: its
  /// coordinates, which inputs it has, and their squares. In blocks, as the product reads them.
  std::vector<float> sides_;
  std::vector<float> present_;  ///< Per training row and feature, in blocks; 1 = has it.
  bool complete_ = false;       ///< No training row has a gap: every distance has the same scale.
};

}  // namespace knockout
