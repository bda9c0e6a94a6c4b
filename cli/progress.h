// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "knockout/tabular/trainer.h"

namespace knockout::cli {

/// A line on standard error that shows how far a training is: only on a terminal, and gone when the
/// training is done.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const TrainProgress& progress);
  /// What fit() wants.
  ProgressFunction function();

 private:
  bool shown_;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace knockout::cli
