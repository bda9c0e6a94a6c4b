// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "knockout/data/table.h"
#include "knockout/model/predictor.h"
#include "knockout/schema/infer.h"

namespace knockout {

/// What differs from one training of a method to the next.
struct FitContext {
  std::uint64_t seed = 0;  ///< Same seed, same data, same predictor; whatever the thread count.
  int threads = 0;         ///< 0 = all cores.
  std::function<void(double share_done)> progress = {};  ///< May be empty.
  /// Ends a training with Cancelled: that of a network at its next step, that of an imputer where
  /// its threads take up new work. XGBoost cannot be stopped.
  std::stop_token stop = {};
};

/// What one training of a method will take, about.
struct MethodCost {
  double memory_bytes = 0;  ///< At its peak, on top of the table.
  std::string text = {};    ///< For people; "" = not known.
};

/// A way to learn to predict from tables with gaps: Knockout, or one of its rivals. All of them go
/// through the same comparison. Thread-safe: several trainings may run at once.
class Method {
 public:
  virtual ~Method() = default;
  virtual std::string name() const = 0;         ///< As typed after --methods: "mice".
  virtual std::string label() const = 0;        ///< As printed: "MICE".
  virtual std::string description() const = 0;  ///< One line for a legend.

  /// Trains on a table whose columns mean what `inferred` says. Throws DataError when the method
  /// cannot use the data, with the reason (no complete rows, too many patterns).
  virtual std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                         const FitContext& run) const = 0;

  /// What fit() would take on this table and one thread; nothing = not known.
  virtual MethodCost cost(const Table& /*table*/, const InferredSchema& /*inferred*/) const {
    return {};
  }
};

}  // namespace knockout
