// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <tuple>
#include <vector>

#include "knockout/base/all_reduce.h"
#include "knockout/base/option.h"
#include "knockout/model/optimizer.h"
#include "knockout/model/schedule.h"
#include "knockout/networks/architecture.h"

namespace knockout {

/// What shares one knockout mask while a network is trained.
enum class MaskPer {
  kRow,   ///< Every row of every step has its own.
  kStep,  ///< All rows of a step have the same.
};
/// As model files and checkpoints call them.
constexpr auto names_of(MaskPer) {
  return std::array{EnumName<MaskPer>{"row", MaskPer::kRow},
                    EnumName<MaskPer>{"step", MaskPer::kStep}};
}

/// The fields of TrainOptions and of ResolvedTraining. `Chosen<T>` may be left to be chosen in the
/// first and is known in the second. A new field is described below; nothing else lists them.
template <template <typename> typename Chosen>
struct TrainFields {
  // --- what is learned ---
  Architecture architecture = Architecture::kMlp;
  /// What stands for a gap of a number is learned with the weights, on the number's own axis. The
  /// paper names it as future work.
  bool learned_placeholders = false;
  Chosen<std::vector<int>> hidden = {};  ///< Units per hidden layer.
  Chosen<int> networks = {};             ///< Networks averaged.
  Chosen<int> batch_rows = {};
  /// As many rows a step as the table has, in place of `batch_rows`: where none are held out, every
  /// step is on all of them.
  bool full_batch = false;
  MaskPer mask_per = MaskPer::kRow;
  Chosen<int> steps = {};  ///< At most so many steps per network.
  Chosen<double> learning_rate = {};
  Optimizer optimizer = Optimizer::kAdam;
  Schedule schedule = Schedule::kCosine;
  /// Schedule::kStep: shares of the steps after which the rate is multiplied by `step_decay`.
  std::vector<double> step_decays_at = StepDecay{}.at;
  double step_decay = StepDecay{}.factor;
  double momentum = kDefaultMomentum;  ///< Of SGD.
  Chosen<double> weight_decay = {};
  Chosen<double> dropout = {};           ///< Share of hidden units dropped.
  Chosen<double> validation_share = {};  ///< Rows held out, others by each network; 0 = none.
  Chosen<int> patience = {};             ///< Evaluations without progress before a network stops.
  double averaging = 0.99;  ///< Share of the averaged weights kept at each step; 0 = the last ones.
  Chosen<int> embedding_dimension = {};
  std::uint64_t seed = 0;  ///< Same seed, same model, any thread count.
  /// The only option that makes results depend on the machine's speed; absent = no limit.
  std::optional<double> time_limit_seconds = {};
  // --- files ---
  /// Folder in which each network's training keeps where it stands; absent = none. A training that
  /// was cut off and is started again with the same data and options goes on from there and ends
  /// with the same networks, bit for bit, also with another number of threads; so it does with
  /// several processes that share networks, and up to rounding when another number of them share
  /// rows. What another training left there is refused. Cannot be combined with a time limit.
  std::optional<std::string> checkpoint_folder = {};
  double checkpoint_seconds = 10;  ///< At least so long between two writes of one network.
  // --- how fast ---
  int threads = 0;  ///< 0 = all cores. Never changes the result.
  /// Other processes that train the same networks on the same data; null = alone. With at least as
  /// many networks as processes each trains some of them, and the result is that of one process,
  /// bit for bit; otherwise they share the rows of each step, which changes only the rounding.
  AllReduce* processes = nullptr;
  // --- how to end it ---
  /// Looked at by the preparation and by every network within a step. Once it asks to stop, fit()
  /// and train() throw Cancelled. With several processes it is enough to ask one, once the first
  /// step is taken. A training with a checkpoint folder can go on from its last checkpoint.
  std::stop_token stop = {};
};

template <typename T>
using Known = T;

/// How networks are trained. What is absent is chosen from the size of the data.
///   TrainOptions{.networks = 1, .steps = 500}
using TrainOptions = TrainFields<std::optional>;
/// The same with everything known.
using ResolvedTraining = TrainFields<Known>;

template <template <typename> typename Chosen>
constexpr auto descriptions_of(const TrainFields<Chosen>*) {
  using T = TrainFields<Chosen>;
  constexpr std::string_view kNetwork = "The network (what is unsaid or auto is chosen)";
  constexpr std::string_view kLong = "Long trainings";
  constexpr std::string_view kEverywhere = "Everywhere";
  constexpr NumberRange kCount{.low = 1};
  constexpr NumberRange kShare{.low = 0, .high = 1, .high_excluded = true};
  return std::tuple(
      option(&T::architecture,
             {.name = "architecture",
              .help = "Hidden layers one after the other, or blocks that each add to their input",
              .group = kNetwork}),
      option(&T::learned_placeholders,
             {.name = "learned_placeholders",
              .help = "What stands for a gap of a number is learned with the weights, on the "
                      "column's own axis, from the paper's on",
              .group = "How columns become numbers"}),
      option(&T::hidden, {.name = "hidden",
                          .value = "UNITS",
                          .help = "Units of each hidden layer: 128,128",
                          .group = kNetwork,
                          .unsaid = "128,128",
                          .range = {.low = 1, .high = 65536}}),
      option(&T::networks, {.name = "networks",
                            .value = "N",
                            .help = "Networks whose answers are averaged",
                            .group = kNetwork,
                            .unsaid = "5",
                            .range = {.low = 1, .high = 1000}}),
      option(&T::batch_rows, {.name = "batch_rows",
                              .value = "ROWS",
                              .help = "Rows per step",
                              .group = kNetwork,
                              .unsaid = "256",
                              .range = kCount,
                              .flag = "batch"}),
      option(&T::full_batch,
             {.name = "full_batch",
              .help = "All rows in every step, as in the paper's simulations: for small tables",
              .group = kNetwork}),
      option(&T::mask_per,
             {.name = "mask_per",
              .help = "What shares one knockout mask: a row alone, or all rows of a step",
              .group = kNetwork}),
      option(&T::steps, {.name = "steps",
                         .value = "N",
                         .help = "At most so many steps per network",
                         .group = kNetwork,
                         .unsaid = "1.7 per row, from 1,000 to 20,000",
                         .range = kCount}),
      option(&T::learning_rate, {.name = "learning_rate",
                                 .value = "RATE",
                                 .help = "The first one; the schedule lowers it",
                                 .group = kNetwork,
                                 .unsaid = "0.003; 0.05 for sgd",
                                 .range = {.low = 0, .low_excluded = true}}),
      option(&T::optimizer,
             {.name = "optimizer",
              .help = "Adam with decoupled weight decay, or SGD with Nesterov momentum",
              .group = kNetwork}),
      option(&T::schedule, {.name = "schedule", .help = "Of the learning rate", .group = kNetwork}),
      option(&T::step_decays_at,
             {.name = "step_decays_at",
              .value = "SHARES",
              .help = "With the schedule step: shares of the steps after which the rate falls",
              .range = {.low = 0, .high = 1}}),
      option(&T::step_decay, {.name = "step_decay",
                              .value = "FACTOR",
                              .help = "With the schedule step: what the rate is multiplied by",
                              .range = {.low = 0, .high = 1}}),
      option(&T::momentum, {.name = "momentum",
                            .value = "SHARE",
                            .help = "Of SGD",
                            .group = kNetwork,
                            .range = kShare}),
      option(&T::weight_decay, {.name = "weight_decay",
                                .value = "RATE",
                                .help = "Pull of the weights towards zero",
                                .group = kNetwork,
                                .unsaid = "0.01",
                                .range = {.low = 0, .high = 1e6}}),
      option(&T::dropout, {.name = "dropout",
                           .value = "SHARE",
                           .help = "Hidden units dropped while training",
                           .group = kNetwork,
                           .unsaid = "0",
                           .range = kShare}),
      option(&T::validation_share,
             {.name = "validation_share",
              .value = "SHARE",
              .help = "Rows that each network holds out to know when to stop; 0 = none",
              .group = kNetwork,
              .unsaid = "0.2",
              .range = {.low = 0, .high = 0.5},
              .flag = "validation"}),
      option(&T::patience, {.name = "patience",
                            .value = "N",
                            .help = "Evaluations without progress before a network stops",
                            .group = kNetwork,
                            .unsaid = "15",
                            .range = kCount}),
      option(&T::averaging,
             {.name = "averaging",
              .value = "SHARE",
              .help = "Share of the averaged weights kept at each step; 0 = the last weights",
              .range = kShare}),
      option(&T::embedding_dimension, {.name = "embedding_dimension",
                                       .value = "N",
                                       .help = "Numbers per embedded category",
                                       .group = kNetwork,
                                       .unsaid = "10",
                                       .range = {.low = 1, .high = 4096}}),
      option(&T::time_limit_seconds,
             {.name = "time_limit_seconds",
              .value = "TIME",
              .help = "Stop after 30s, 5m or 1h and keep the best so far. The one option that "
                      "makes the result depend on the machine",
              .group = kNetwork,
              .unsaid = "none",
              .range = {.low = 0, .low_excluded = true},
              .flag = "time-limit"}),
      option(&T::checkpoint_folder,
             {.name = "checkpoint_folder",
              .value = "DIR",
              .help = "Folder that keeps where the training stands. Cut off and started again with "
                      "the same command, it goes on from there and ends with the same model; then "
                      "the folder is removed",
              .group = kLong,
              .unsaid = "none",
              .flag = "checkpoints",
              .learned = Learned::kNo}),
      option(&T::checkpoint_seconds,
             {.name = "checkpoint_seconds",
              .value = "TIME",
              .help = "At least so long between two checkpoints of a network",
              .group = kLong,
              .range = {.low = 0},
              .flag = "checkpoint-every",
              .learned = Learned::kNo}),
      option(
          &T::seed,
          {.name = "seed", .value = "N", .help = "Same seed, same result", .group = kEverywhere}),
      option(&T::threads, {.name = "threads",
                           .value = "N",
                           .help = "0 = all cores. Never changes the result",
                           .group = kEverywhere,
                           .range = {.low = 0},
                           .learned = Learned::kNo}));
}

template <template <typename> typename Chosen>
constexpr auto undescribed_of(const TrainFields<Chosen>*) {
  using T = TrainFields<Chosen>;
  return std::tuple(&T::processes, &T::stop);
}

/// Fills in what was left to be chosen, from the size of the data. Throws ConfigError for values
/// that make no sense.
ResolvedTraining resolve(const TrainOptions& options, std::size_t rows);

}  // namespace knockout
