// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "knockout/model/training_folder.h"
#include "knockout/networks/trainer.h"

namespace knockout {

/// What makes a training what it is, part by part: what a person calls it, and a hash of it. Two
/// trainings with the same parts give the same networks.
using TrainingIdentity = std::vector<std::pair<std::string, std::string>>;
TrainingIdentity identity_of(const Examples& examples, const Encoder& encoder,
                             const KnockoutPlan& plan, const ResolvedTraining& options);

/// Where the training of one network stands after an evaluation: all it needs to go on as if it had
/// never been interrupted. Rows, masks and dropout are functions of the step.
struct NetworkTrainingState {
  NetworkReport report;  ///< With the steps taken.
  bool is_finished = false;
  int evaluations = 0, evaluations_since_best = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  std::vector<float> averaged;  ///< The weights that predict; when finished, all there is.
  std::vector<float> weights, first_moment, second_moment;
  std::vector<float> best;  ///< Empty before the first validation.
};

/// The folder in which a training keeps where its networks stand, a file each:
/// `network-1.safetensors` and so on. Several threads may use it, for different networks.
class CheckpointFolder {
 public:
  /// Creates the folder. Throws FileError when that is impossible.
  CheckpointFolder(const ResolvedTraining& options, TrainingIdentity identity);

  /// Empty when there is no file. Throws ConfigError for one of another training and ModelFileError
  /// for one that is damaged.
  std::optional<NetworkTrainingState> read(int network) const;

  /// Whether the last write, or the start, is long enough ago.
  bool is_due(int network) const;
  void write(int network, const NetworkTrainingState& state);

 private:
  using Clock = std::chrono::steady_clock;
  TrainingFolder folder_;
  std::chrono::duration<double> between_;
  TrainingIdentity identity_;
  std::vector<Clock::time_point> last_write_;  ///< Per network.
};

/// The bytes of a file that says where a network stands, and back; `source` names them in messages.
std::string state_to_bytes(const NetworkTrainingState& state, const TrainingIdentity& identity);
NetworkTrainingState state_from_bytes(std::string_view bytes, const TrainingIdentity& identity,
                                      const std::string& source);

}  // namespace knockout
