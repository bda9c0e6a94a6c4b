// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "knockout/methods/network_method.h"

namespace knockout {

/// One network per pattern of missing inputs, each trained on the inputs that the pattern leaves
/// ("fitted marginals" in the paper): what Knockout approximates with one network. Gaps of the
/// training rows are filled with means or modes. Networks are trained when a pattern is first met,
/// so predicting takes long the first time.
class MarginalsMethod : public NamedMethod {
 public:
  MarginalsMethod(MethodNames names, FitOptions fit, std::size_t most_networks)
      : NamedMethod(std::move(names)),
        fit_(without_knockout(std::move(fit))),
        most_networks_(most_networks) {}

  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext& run) const override;
  /// Of one network; they are trained one after the other.
  MethodCost cost(const Table& table, const InferredSchema& inferred) const override;

 private:
  FitOptions fit_;
  std::size_t most_networks_;
};

}  // namespace knockout
