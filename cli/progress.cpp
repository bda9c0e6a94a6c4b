// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "cli/output.h"

namespace knockout::cli {

ProgressLine::ProgressLine(bool quiet) : shown_(!quiet && isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
}

ProgressFunction ProgressLine::function() {
  if (!shown_) return {};
  return [this](const TrainProgress& progress) { show(progress); };
}

void ProgressLine::show(const TrainProgress& progress) {
  constexpr auto kPause = std::chrono::milliseconds(100);
  constexpr int kBarWidth = 24;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kPause) return;
  last_ = now;
  const int done = static_cast<int>(progress.share_done * kBarWidth);
  std::string losses = fmt::format("loss {:.4f}", progress.training_loss);
  if (!std::isnan(progress.validation_loss)) {
    losses += fmt::format(", validation {:.4f}", progress.validation_loss);
  }
  fmt::print(stderr, "\r\x1b[K[{:<{}}] {:3.0f} %  {}  {} left", std::string(done, '='), kBarWidth,
             100 * progress.share_done, losses, seconds_text(progress.seconds_left));
  std::fflush(stderr);
}

}  // namespace knockout::cli
