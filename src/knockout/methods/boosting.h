// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "knockout/methods/network_method.h"
#include "knockout/trees/grow_trees.h"

namespace knockout {

/// Gradient boosting that learns a branch for gaps: what many people use for tables. The number of
/// rounds is chosen on a fifth of the rows, then all rows are used.
class BoostingMethod : public NamedMethod {
 public:
  BoostingMethod(MethodNames names, TreeOptions options, ClassWeights class_weights)
      : NamedMethod(std::move(names)),
        options_(options),
        class_weights_(std::move(class_weights)) {}

  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext& run) const override;

 private:
  TreeOptions options_;
  ClassWeights class_weights_;
};

}  // namespace knockout
