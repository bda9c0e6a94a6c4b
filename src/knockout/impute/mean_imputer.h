// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/impute/imputer.h"
#include "knockout/impute/input_matrix.h"

namespace knockout {

/// The mean of the training column, or its most frequent category, in every gap.
class MeanImputer : public Imputer {
 public:
  explicit MeanImputer(ImputerInputs space) : space_(std::move(space)) {}
  Table apply(const Table& table, int threads) const override {
    return space_.fill_with_means(table, threads);
  }

 private:
  ImputerInputs space_;
};

}  // namespace knockout
