// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/targets.h"
#include "knockout/networks/network.h"
#include "knockout/networks/train_options.h"

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

struct TrainedNetworks {
  std::vector<Network> networks;
  std::vector<NetworkReport> reports;
  std::uint64_t resumed_steps = 0;  ///< Of all networks, taken by an earlier call.
};

/// Trains the networks of an ensemble, each on its own split, masks and initial weights, in
/// parallel. Knocked-out units take the encoder's first placeholders; early stopping looks at a
/// validation part that is itself knocked out. Deterministic: the weights depend on examples, plan
/// and options but not on the number of threads. Throws Cancelled when `options.stop` asks for it,
/// DataError when no row has a label and when
/// the loss is not finite (rows or weights beyond float range), and what the file system or damaged
/// checkpoints give rise to: FileError, ModelFileError, ConfigError.
TrainedNetworks train(const Examples& examples, const Encoder& encoder, const KnockoutPlan& plan,
                      const TrainOptions& options, const ProgressFunction& progress = {});

/// The same with options that are resolved already.
TrainedNetworks train(const Examples& examples, const Encoder& encoder, const KnockoutPlan& plan,
                      const ResolvedTraining& options, const ProgressFunction& progress = {});

/// Removes the checkpoints of a training whose networks are safe, and their folder if nothing else
/// is in it. Nothing happens without a checkpoint folder.
void remove_checkpoints(const ResolvedTraining& options);

}  // namespace knockout
