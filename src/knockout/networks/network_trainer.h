// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "knockout/mask/sampler.h"
#include "knockout/model/held_out.h"
#include "knockout/model/shuffle.h"
#include "knockout/networks/checkpoint.h"
#include "knockout/networks/network_pass.h"
#include "knockout/networks/team.h"
#include "knockout/networks/trainer.h"

namespace knockout {

/// Which rows the networks of a training hold out.
inline HoldOut hold_out_of(const ResolvedTraining& options) {
  return {.share = options.validation_share, .seed = options.seed};
}

/// Trains one network of an ensemble. Used by train(); separate so that each piece of a step has a
/// name.
class NetworkTrainer {
 public:
  using Clock = std::chrono::steady_clock;
  using Deadline = Clock::time_point;
  /// Called by the leader after an evaluation. Losses are means per label.
  using Report = std::function<void(std::uint64_t step, double share_done, double training_loss,
                                    double validation_loss)>;

  /// `member` numbers the network and with it its random streams and
  /// its validation part. `processes` share the rows of each step; null = alone.
  NetworkTrainer(const Examples& examples, const Encoder& encoder, const KnockoutPlan& plan,
                 const ResolvedTraining& options, int member, AllReduce* processes = nullptr);

  /// Goes on from where an earlier training of this network stood. Throws ModelFileError for a
  /// state that cannot be this network's.
  void resume(NetworkTrainingState state);

  /// What watches over a training; anything may be null.
  struct Watch {
    const std::atomic<bool>* peer_lost = nullptr;  ///< Ends it with a PeerError once set.
    CheckpointFolder* checkpoints = nullptr;       ///< Told where the training stands.
  };
  /// Runs the training on `team`, to its end.
  NetworkReport run(Team& team, Deadline deadline, const Report& report, const Watch& watch);

  /// The weights that validation liked best, or the last ones.
  Network take_network() { return std::move(averaged_); }

  /// One training step for rank `rank` of a team; all ranks must call it. Public for the benchmark.
  void step(Team& team, int rank, std::uint64_t step);

 private:
  struct ValidationPart {
    std::size_t rows = 0;
    std::vector<float> inputs;  ///< Already knocked out, one fixed mask per row.
    std::vector<std::int32_t> codes;
    std::vector<std::uint32_t> source;  ///< Row of the examples, for labels and weights.
  };

  void choose_rows();
  bool evaluate(std::uint64_t done, const Report& report);
  void finish();
  NetworkTrainingState snapshot() const;
  void fill_inputs(std::uint64_t step, RowRange rows);
  double add_loss(RowRange rows, std::span<const std::uint32_t> sources, float weight_scale);
  double learning_rate_at(std::uint64_t step) const;
  void update(const ParameterBlock& block, std::uint64_t step, double learning_rate);
  void add_up_gradients();
  void leave_if_asked() const;
  double add_up(double value) const;
  double share_done(std::uint64_t step) const;
  void validate_share(int rank, int size);
  double validation_loss();
  double take_training_loss();

  const Examples& examples_;
  const Encoder& encoder_;
  const ResolvedTraining& options_;
  StepDecay step_decay_;
  int member_;
  AllReduce* processes_;
  int first_row_;  ///< Of this process in each batch; 0 when it is alone.
  KnockoutSampler sampler_;
  Random dropout_random_;
  Network network_;  ///< What the optimiser moves.
  /// Its recent average, which predicts: steadier than any single step (Polyak and Juditsky 1992).
  Network averaged_;
  NetworkPass pass_;
  std::vector<float> gradient_;  ///< Two more than parameters: add_up_gradients().
  std::vector<float> first_moment_, second_moment_;
  std::vector<std::uint32_t> training_rows_;
  std::vector<std::uint32_t> batch_;  ///< Rows of the examples in the current batch.
  std::vector<std::uint8_t> masks_;   ///< And what they lose, batch x units.
  ValidationPart validation_;
  KnockoutSampler validation_sampler_;
  /// Sum since the last evaluation, per shard: a fixed order of addition.
  std::vector<double> shard_losses_;
  std::vector<double> validation_losses_;
  double validation_weight_ = 0.0;
  ShuffledRows order_;
  NetworkTrainingState state_;  ///< Its weights and moments only in a snapshot.
  std::uint64_t steps_since_report_ = 0;
  Clock::time_point start_ = Clock::now();
  Deadline deadline_ = Deadline::max();
  bool all_stop_ = false;  ///< A process of those that share rows was asked to; as time_share_.
  /// Of the time limit used up; written by rank 0 alone, between two meetings.
  double time_share_ = 0.0;
};

}  // namespace knockout
