// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "knockout/fit/fit.h"
#include "knockout/model/model.h"
#include "knockout/networks/train_options.h"
#include "knockout/networks/train_progress.h"

namespace knockout {

/// What learners are trained from.
struct LearnerTraining {
  const Examples& examples;
  const Encoder& encoder;
  const KnockoutPlan& plan;
  const std::vector<TargetCoding>& targets;
  const ResolvedTraining& train;
  const KnockoutTreeOptions& trees;
};

struct TrainedLearners {
  std::vector<WeightedLearner> learners;  ///< Those that help.
  std::vector<NetworkReport> networks;
  std::vector<int> tree_rounds;
  std::vector<double> weights;  ///< Of networks and trees, where both were trained.
  std::vector<HeldOutLevel> held_out;
  std::uint64_t resumed_steps = 0;
};

/// Trains networks, trees, or both and how much each should count. REQUIRES: not Learners::kAuto.
/// `table` has the gaps of the rows. Throws as train() and train_trees() do.
TrainedLearners train_learners(const LearnerTraining& training, Learners learners,
                               const Table& table, const ProgressFunction& progress);

}  // namespace knockout
