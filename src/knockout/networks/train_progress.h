// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace knockout {

/// What a progress display needs; passed from one thread at a time.
struct TrainProgress {
  int network = 0, networks = 1;
  std::uint64_t step = 0, steps = 0;  ///< Of this network.
  double share_done = 0;              ///< Of all networks.
  double training_loss = 0;
  double validation_loss = 0;  ///< NaN without a validation part.
  double seconds = 0, seconds_left = 0;
};
using ProgressFunction = std::function<void(const TrainProgress&)>;

/// How one network's training went.
struct NetworkReport {
  std::uint64_t steps = 0;      ///< Steps taken.
  std::uint64_t best_step = 0;  ///< Whose weights were kept.
  double training_loss = 0;
  double validation_loss = 0;  ///< NaN without a validation part.
  bool out_of_time = false;
};

}  // namespace knockout
