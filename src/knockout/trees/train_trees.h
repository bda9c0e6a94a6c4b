// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "knockout/mask/plan.h"
#include "knockout/model/held_out.h"
#include "knockout/trees/boosted_trees.h"
#include "knockout/trees/knockout_tree_options.h"

namespace knockout {

/// What trees are trained on and under which conditions.
struct TreeTraining {
  const Examples& examples;
  const Encoder& encoder;
  const KnockoutPlan& plan;
  const std::vector<TargetCoding>& targets;
  HoldOut hold_out;  ///< Member k holds out what network k does.
  int threads = 0;   ///< 0 = all cores. Never changes the result.
  /// When all members must be grown; those that are not end where they are.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// Called now and then, from one thread at a time, with the share of the work that is done.
  std::function<void(double share_done)> progress = {};
};

/// Grows boosted trees on copies of the rows in which the plan has knocked inputs out; held-out
/// rows, knocked out too, decide how many rounds are kept. A row and its copies are on one side of
/// the split. Deterministic, whatever the number of threads. Throws as grow_trees() does.
BoostedTrees train_trees(const TreeTraining& training, const KnockoutTreeOptions& options);

}  // namespace knockout
