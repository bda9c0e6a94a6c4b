// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "experiments/jobs.h"
#include "knockout/networks/trainer.h"

namespace knockout::cli {

/// Shows how far the work is: on a terminal in a line on standard error that is gone when it is
/// done, elsewhere in the lines of the heartbeat (cli/heartbeat.h).
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// What fit() wants.
  ProgressFunction function();
  /// What compare() wants: the share done, and what is being done.
  std::function<void(double share_done, const std::string& doing)> work_function();
  /// What evaluate() wants.
  std::function<void(double share_done)> share_function();
  /// What studies want.
  std::function<void(const experiments::StudyContext::Progress&)> study_function();

 private:
  /// `seconds_left` is absent while nobody can tell.
  void show(double share_done, const std::string& doing, std::optional<double> seconds_left);
  std::optional<double> seconds_left(double share_done) const;

  bool quiet_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace knockout::cli
