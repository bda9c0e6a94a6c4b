// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knockout/base/limits.h"
#include "knockout/encode/encoder.h"
#include "knockout/model/targets.h"
#include "knockout/networks/architecture.h"
#include "knockout/networks/train_options.h"

namespace knockout {

/// What a training will take, known before it starts.
struct TrainingCost {
  std::uint64_t networks = 0;
  std::uint64_t at_a_time = 0;              ///< Networks trained at once; depends on the threads.
  std::uint64_t parameters = 0;             ///< Of one network.
  std::uint64_t steps = 0, batch_rows = 0;  ///< Of one network, at most.
  double memory_bytes = 0;                  ///< At its peak, on top of the table.
  double model_bytes = 0;                   ///< Of the file, without what is small.

  /// Multiplications, about: forward and backward passes of all steps.
  double operations() const;
  /// "1,000 networks of 17,921 weights, at most 1,000 steps of 256 rows each: about ...".
  std::string text() const;
};

/// The network that suits these targets.
NetworkPlan plan_network(const std::vector<Head>& heads, const Encoder& encoder,
                         const ResolvedTraining& options);

TrainingCost training_cost(std::size_t rows, const std::vector<Head>& heads, const Encoder& encoder,
                           const ResolvedTraining& options);

/// Throws ConfigError with the figure when the training takes more memory than allowed.
void check_cost(const TrainingCost& cost, const Limits& limits);

}  // namespace knockout
