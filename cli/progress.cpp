// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "cli/heartbeat.h"
#include "cli/output.h"

namespace knockout::cli {

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet) {}

ProgressLine::~ProgressLine() {
  if (quiet_) return;
  set_how_far("");
  clear_status();
}

ProgressFunction ProgressLine::function() {
  if (quiet_) return {};
  return [this](const TrainProgress& progress) {
    std::string losses = fmt::format("loss {:.4f}", progress.training_loss);
    if (!std::isnan(progress.validation_loss)) {
      losses += fmt::format(", validation {:.4f}", progress.validation_loss);
    }
    show(progress.share_done, losses, progress.seconds_left);
  };
}

std::function<void(double, const std::string&)> ProgressLine::work_function() {
  if (quiet_) return {};
  return [this](double share_done, const std::string& doing) {
    show(share_done, doing, seconds_left(share_done));
  };
}

std::function<void(double)> ProgressLine::share_function() {
  if (quiet_) return {};
  return [this](double share_done) { show(share_done, "", seconds_left(share_done)); };
}

std::function<void(const experiments::StudyContext::Progress&)> ProgressLine::study_function() {
  if (quiet_) return {};
  return [this](const experiments::StudyContext::Progress& progress) {
    show(progress.share_done,
         fmt::format("{} of {}: {}", progress.done, progress.all, progress.doing),
         progress.seconds_left);
  };
}

std::optional<double> ProgressLine::seconds_left(double share_done) const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (share_done <= 0) return std::nullopt;
  return elapsed.count() * (1 - share_done) / share_done;
}

void ProgressLine::show(double share_done, const std::string& doing,
                        std::optional<double> seconds_left) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  constexpr int kBarWidth = 24;
  const auto now = std::chrono::steady_clock::now();
  if (share_done >= 1) set_how_far("");  // what follows is something else
  if (now - last_ < kPause || share_done >= 1) return;
  last_ = now;
  std::string rest =
      fmt::format("{:.0f} %{}{}", 100 * share_done, doing.empty() ? "" : ", ", doing);
  if (seconds_left) rest += fmt::format(", {} left", duration_text(*seconds_left));
  set_how_far(rest);
  if (!has_error_terminal()) return;
  const int done = static_cast<int>(share_done * kBarWidth);
  show_status(fmt::format("[{:<{}}] {}", std::string(done, '='), kBarWidth, rest));
}

}  // namespace knockout::cli
