// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/train_options.h"

#include <algorithm>

#include "knockout/base/error.h"

namespace knockout {
namespace {

/// What ranges of single options do not say.
void check(const TrainOptions& options) {
  check_ranges(options);
  if (options.hidden && (options.hidden->empty() || options.hidden->size() > 100)) {
    throw ConfigError("`hidden`: a network has 1 to 100 hidden layers.");
  }
  if (options.full_batch && options.batch_rows) {
    throw ConfigError(
        "All rows in every step, or so many: choose one of the two:  `full_batch` or "
        "`batch_rows`");
  }
  check(StepDecay{.at = options.step_decays_at, .factor = options.step_decay});
  if (options.time_limit_seconds && options.checkpoint_folder) {
    throw ConfigError(
        "A time limit plans the training from start to end, so that it cannot be continued from "
        "checkpoints; choose one of the two:  `time_limit_seconds` or `checkpoint_folder`");
  }
}

int steps_for(std::size_t rows) {
  // Small tables are learned by heart if trained for long; large ones stop by validation.
  constexpr double kStepsPerRow = 1.7, kFewestSteps = 1000, kMostSteps = 20000;
  return static_cast<int>(
      std::clamp(kStepsPerRow * static_cast<double>(rows), kFewestSteps, kMostSteps));
}

/// A batch larger than the data only repeats rows under other masks; beyond some size that is
/// waste.
int useful_batch(int batch_rows, std::size_t rows) {
  constexpr std::size_t kUsefulBatch = 4096;
  return static_cast<int>(
      std::min(static_cast<std::size_t>(batch_rows), std::max(rows, kUsefulBatch)));
}

template <typename Value>
void copy_known(const Value& from, Value& to) {
  to = from;
}
template <typename Value>
void copy_known(const std::optional<Value>& from, Value& to) {
  if (from) to = *from;
}

}  // namespace

ResolvedTraining resolve(const TrainOptions& options, std::size_t rows) {
  check(options);
  // What nobody said.
  ResolvedTraining resolved{.hidden = {128, 128},
                            .networks = 5,
                            .batch_rows = 256,
                            .steps = steps_for(rows),
                            .learning_rate = options.optimizer == Optimizer::kSgd ? 0.05 : 3e-3,
                            .weight_decay = 0.01,
                            .dropout = 0,
                            .validation_share = 0.2,
                            .patience = 15,
                            .embedding_dimension = 10};
  // What was said, by the descriptions, which both structs have: no option can be forgotten here.
  const auto copy = [&](const auto&... said) {
    std::apply(
        [&](const auto&... of) { (copy_known(options.*said.member, resolved.*of.member), ...); },
        descriptions_of(&resolved));
  };
  std::apply(copy, descriptions_of(&options));
  resolved.processes = options.processes;
  resolved.stop = options.stop;
  resolved.batch_rows = resolved.full_batch ? static_cast<int>(std::max<std::size_t>(rows, 1))
                                            : useful_batch(resolved.batch_rows, rows);
  return resolved;
}

}  // namespace knockout
