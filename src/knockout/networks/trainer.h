// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "knockout/base/all_reduce.h"
#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/targets.h"
#include "knockout/networks/architecture.h"
#include "knockout/networks/network.h"

namespace knockout {

enum class Optimizer {
  kAdam,
  kSgd
};  ///< Adam with decoupled weight decay, or SGD with Nesterov momentum.
enum class Schedule { kConstant, kStep, kCosine };

/// How a network is trained. 0 or empty = chosen from the size of the data (see resolve()).
struct TrainOptions {
  // --- what is learned ---
  Architecture architecture = Architecture::kMlp;
  std::vector<int> hidden;  ///< Units per hidden layer.
  int networks = 0;         ///< Networks averaged.
  int batch_rows = 0;
  int steps = 0;  ///< At most so many steps per network.
  double learning_rate = 0;
  Optimizer optimizer = Optimizer::kAdam;
  Schedule schedule = Schedule::kCosine;
  std::vector<double> step_decays_at = {
      0.4, 0.8};  ///< Schedule::kStep: shares of the steps after which the rate is multiplied by
  double step_decay = 0.2;   ///< this.
  double momentum = 0.9;     ///< Of SGD.
  double weight_decay = -1;  ///< Negative = chosen.
  double dropout = -1;       ///< Share of hidden units dropped; negative = chosen.
  double validation_share =
      -1;  ///< Rows held out by each network, different ones for each; negative = chosen, 0 = none.
  int patience = 0;  ///< Evaluations without progress before a network stops.
  double averaging =
      0.99;  ///< Share of the averaged weights kept at each step; 0 = the last weights.
  int embedding_dimension = 0;
  std::uint64_t seed = 0;  ///< Same seed, same model, any thread count.
  double time_limit_seconds =
      0;  ///< 0 = none. The only option that makes results depend on the machine's speed.
  // --- files ---
  /// Folder in which each network's training keeps where it stands; "" = none. A training that was
  /// cut off and is started again with the same data and options goes on from there and ends with
  /// the same networks, bit for bit, also with another number of threads; so it does with several
  /// processes that share networks, and up to rounding when another number of them share rows. What
  /// another training left there is refused. Cannot be combined with a time limit.
  std::string checkpoint_folder = {};
  double checkpoint_seconds = 10;  ///< At least so long between two writes of one network.
  // --- how fast ---
  int threads = 0;  ///< 0 = all cores. Never changes the result.
  /// Other processes that train the same networks on the same data; null = alone. With at least as
  /// many networks as processes each trains some of them, and the result is that of one process,
  /// bit for bit; otherwise they share the rows of each step, which changes only the rounding.
  AllReduce* processes = nullptr;
};

/// Fills in what was left to be chosen, from the size of the data. Idempotent. Throws ConfigError
/// for values that make no sense.
TrainOptions resolve(const TrainOptions& options, std::size_t rows);

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
/// and options but not on the number of threads. Throws DataError when no row has a label and when
/// the loss is not finite (rows or weights beyond float range), and what the file system or damaged
/// checkpoints give rise to: FileError, ModelFileError, ConfigError.
TrainedNetworks train(const Examples& examples, const Encoder& encoder, const KnockoutPlan& plan,
                      const TrainOptions& options, const ProgressFunction& progress = {});

/// Removes the checkpoints of a training whose networks are safe, and their folder if nothing else
/// is in it. `options` must be resolved; nothing happens without a checkpoint folder.
void remove_checkpoints(const TrainOptions& options);

}  // namespace knockout
