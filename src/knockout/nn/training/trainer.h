// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "knockout/model/optimizer.h"
#include "knockout/model/schedule.h"
#include "knockout/nn/processes/process_group.h"
#include "knockout/nn/torch.h"
#include "knockout/nn/training/dataset.h"

namespace knockout::nn {

/// How a LibTorch network is trained. Every field has a usable default. Schedules, optimisers and
/// checkpoints are those of the native trainer (TrainOptions), with the same defaults but where a
/// field says why not.
struct TrainerOptions {
  // --- what is learned ---
  /// Over all processes; each works on its slice of the batch. Fewer than the native trainer's 256:
  /// a row may be a volume.
  std::int64_t batch_rows = 64;
  /// A process works its slice through in so many parts of rows, one after the other, so that large
  /// volumes fit into memory. The masks of Knockout stay the same, and so does the result, up to
  /// rounding, without layers that look across rows (batch norm) and without Dropout layers.
  std::int64_t accumulate = 1;
  /// The native trainer chooses from the number of rows; here nothing is known of the network.
  std::int64_t steps = 1000;
  Optimizer optimizer = Optimizer::kAdam;
  /// LibTorch's own. The native trainer's 3e-3 was measured on its small networks, and diverges on
  /// deep ones.
  double learning_rate = 1e-3;
  /// None unless asked for. The native trainer's 0.01 was measured on tables.
  double weight_decay = 0.0;
  double momentum = kDefaultMomentum;  ///< Of SGD.
  std::int64_t warmup_steps = 0;  ///< The rate rises linearly for so long, before the schedule.
  Schedule schedule = Schedule::kCosine;
  StepDecay step_decay = {};  ///< Of Schedule::kStep; shares of the steps after the warm-up.
  double clip_norm = 0.0;     ///< A longer gradient (of all parameters) is shortened; 0 = never.
  std::uint64_t seed = 0;     ///< Same seed, same weights.
  // --- validation and files ---
  std::int64_t validate_every = 0;  ///< Steps; 0 = at the end only.
  /// Stops after so many validations without a better score; 0 = never. The native trainer has a
  /// validation part of its own, so that it can stop early by default.
  std::int64_t patience = 0;
  /// Folder of `last.safetensors` (everything a run needs to go on) and `best.safetensors` (the
  /// best weights by validation and their score); "" = none. Rank 0 alone reads and writes it. An
  /// existing last checkpoint of the same run is resumed, also by another number of processes; one
  /// of another run is refused, and so is one whose best weights are gone. Nothing locks the
  /// folder: one run at a time.
  std::string checkpoint_folder = {};
  /// Steps. The native trainer counts seconds, since its steps take microseconds; here a study can
  /// say "after each epoch".
  std::int64_t checkpoint_every = 100;
  // --- how fast ---
  int loader_threads = 1;  ///< Batches are read ahead by so many threads; 0 = none.
  torch::Device device = torch::kCPU;
  // --- how to end it ---
  /// Looked at before the first step and before each one. Once it asks to stop, train() throws
  /// Cancelled. With several processes it is enough to ask one.
  std::stop_token stop = {};
};

struct TrainerProgress {
  std::int64_t step = 0, steps = 0;
  double training_loss = 0;     ///< Mean since the last report.
  double validation_score = 0;  ///< NaN before the first.
  double seconds = 0, seconds_left = 0;
};

struct TrainerReport {
  std::int64_t steps = 0;       ///< Fewer than the options say if `patience` ended it.
  std::int64_t resumed_at = 0;  ///< 0 = from the start.
  std::int64_t best_step = 0;
  double training_loss = 0;  ///< Of the last step; NaN if there was none left to do.
  double best_score = 0;     ///< NaN without validation.
  double seconds = 0;
  /// Of these, how long this process did nothing but wait for the gradients of the others.
  double communication_seconds = 0;
};

/// Some parameters of a network are trained in another way than the options say: those whose names
/// begin with `prefix` and with that of no rule before.
struct ParameterRule {
  std::string prefix;                       ///< "head." or the whole name of one.
  double learning_rate_factor = 1.0;        ///< Times the rate of the options; 0 = never moved.
  bool follows_schedule = true;             ///< And warm-up; or keeps one rate to the end.
  std::optional<double> weight_decay = {};  ///< Empty = that of the options.
  std::optional<double> momentum = {};      ///< Of SGD; 0 = none.
};

/// What a trainer is to do with a network.
struct TrainingTask {
  /// Every Knockout that the loss uses must be a part of it: the trainer tells it the step, saves
  /// it, and switches it off for validation. All of it is put into train() while training.
  std::shared_ptr<torch::nn::Module> network;
  /// The mean loss over the rows of a batch, with gradients.
  std::function<torch::Tensor(const Batch&)> loss;
  /// How good the network is, the higher the better; called in eval() and without gradients. May
  /// be empty: then there is no validation and the last weights are kept. All processes call it at
  /// the same step, so nobody waits longer than the others and it may share its rows out through
  /// the ProcessGroup; the score of rank 0 counts.
  std::function<double()> validate = {};
  /// What the mean is over, if not rows: the labelled cells of a batch, say, or their weights. The
  /// losses of slices and parts of a batch are averaged by it; empty = by rows. Where it is 0 the
  /// loss counts nothing, and may be NaN.
  std::function<double(const Batch&)> weight = {};
  /// Throws ConfigError for a rule that no parameter falls under.
  std::vector<ParameterRule> rules = {};
};

/// The learning rate of a step; the first is step 0. Warm-up rises from 1/(warmup_steps + 1) of the
/// rate; the step after it has the full one. Cosine falls from there to almost 0.
double learning_rate_of_step(const TrainerOptions& options, std::int64_t step);

/// Trains a network, alone or together with other processes (`processes` may be null). On return
/// the network has the best weights by validation and is in eval(), in all processes.
///
/// Deterministic: the order of the rows and LibTorch's own random numbers (Dropout layers) are
/// functions of (seed, step), the latter also of the rank; the masks of Knockout are functions of
/// its own seed and the step. A run that is killed at any point and started again with the same
/// arguments and as many LibTorch threads resumes from its last checkpoint and ends with the same
/// weights, to the bit, as one that was not. All processes start with the weights of
/// rank 0. Batch norm sees the rows of its own process only; the running statistics of rank 0
/// count. Without layers that look across rows and without Dropout layers, the number of processes
/// changes only rounding.
///
/// `progress` is called by rank 0, a few times a second, and after the last step.
///
/// A good guest: LibTorch's generator of random numbers is given back as it was. Several trainings
/// may run at once, but those that draw from that generator (Dropout layers) then draw from each
/// other's.
///
/// Whatever it throws, every part of the network is back in the mode, train() or eval(), that it
/// had, and the weights are those of the last step. A run with a checkpoint folder can go on.
///
/// Throws Cancelled when `options.stop` asks for it, DataError when the loss or the network is not
/// finite, ConfigError for options that make no sense, a loss that is no scalar or a checkpoint of
/// another run, ModelFileError for a damaged one or lost best weights, FileError when one cannot be
/// written, PeerError when another process is lost, and what Dataset::get throws.
TrainerReport train(const TrainingTask& task, const Dataset& training,
                    const TrainerOptions& options, ProcessGroup* processes = nullptr,
                    const std::function<void(const TrainerProgress&)>& progress = {});

}  // namespace knockout::nn
