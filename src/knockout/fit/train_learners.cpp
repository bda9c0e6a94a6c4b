// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/train_learners.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "knockout/base/stage.h"
#include "knockout/fit/combine.h"
#include "knockout/fit/held_out_scores.h"
#include "knockout/networks/network_ensemble.h"
#include "knockout/networks/network_trainer.h"
#include "knockout/networks/trainer.h"
#include "knockout/trees/train_trees.h"

namespace knockout {
namespace {

using Clock = std::chrono::steady_clock;

/// The part of a fit that networks take when there are trees, too: for the display, and of a time
/// limit.
constexpr double kNetworkShare = 0.6;

/// When all must be done; a limit of years is none.
Clock::time_point deadline_of(const ResolvedTraining& options) {
  constexpr double kForever = 1e9;  // seconds; a clock could not add many more
  const double limit = options.time_limit_seconds.value_or(kForever);
  if (limit >= kForever) return Clock::time_point::max();
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit));
}

/// Tells how far a part of the work is as a part of the whole.
ProgressFunction within(const ProgressFunction& progress, double begin, double end) {
  if (!progress) return {};
  return [=, &progress](TrainProgress part) {
    part.share_done = begin + (end - begin) * part.share_done;
    const double left = 1.0 - part.share_done;
    part.seconds_left = part.share_done > 0 ? part.seconds / part.share_done * left : 0.0;
    progress(part);
  };
}

/// Progress of trees in the words of networks.
std::function<void(double)> tree_progress(const ProgressFunction& progress) {
  if (!progress) return {};
  return [&progress, start = Clock::now()](double share_done) {
    TrainProgress now;
    now.share_done = share_done;
    now.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    now.seconds_left = share_done > 0 ? now.seconds / share_done * (1.0 - share_done) : 0.0;
    progress(now);
  };
}

/// Each network alone, for the rows that it held out.
std::vector<LearnerPointer> one_by_one(const NetworkEnsemble& networks,
                                       const std::vector<TargetCoding>& targets) {
  std::vector<LearnerPointer> alone;
  for (const Network& network : networks.networks()) {
    alone.push_back(std::make_shared<NetworkEnsemble>(std::vector{network}, targets));
  }
  return alone;
}

std::vector<LearnerPointer> one_by_one(const BoostedTrees& trees) {
  std::vector<LearnerPointer> alone;
  for (std::size_t m = 0; m < trees.members().size(); ++m) {
    alone.push_back(std::make_shared<BoostedTrees>(trees.alone(m)));
  }
  return alone;
}

}  // namespace

TrainedLearners train_learners(const LearnerTraining& training, Learners learners,
                               const Table& table, const ProgressFunction& progress) {
  const bool with_networks = learners != Learners::kTrees;
  const bool with_trees = learners != Learners::kNetworks;
  const HoldOut hold_out = hold_out_of(training.train);
  const HeldOutJudge judge{
      table,    training.examples,     training.encoder, training.plan, training.targets,
      hold_out, training.train.threads};
  const Clock::time_point deadline = deadline_of(training.train);

  TrainedLearners trained;
  std::vector<LearnerPointer> parts, network_folds, tree_folds;
  if (with_networks) {
    ResolvedTraining train_options = training.train;
    if (with_trees && train_options.time_limit_seconds) {
      *train_options.time_limit_seconds *= kNetworkShare;
    }
    const ProgressFunction told = with_trees ? within(progress, 0, kNetworkShare) : progress;
    TrainedNetworks networks =
        train(training.examples, training.encoder, training.plan, train_options, told);
    trained.networks = std::move(networks.reports);
    trained.resumed_steps = networks.resumed_steps;
    auto ensemble =
        std::make_shared<const NetworkEnsemble>(std::move(networks.networks), training.targets);
    network_folds = one_by_one(*ensemble, training.targets);
    parts.push_back(std::move(ensemble));
  }
  if (with_trees) {
    const Stage stage("growing trees");
    const ProgressFunction told = with_networks ? within(progress, kNetworkShare, 1) : progress;
    auto trees =
        std::make_shared<const BoostedTrees>(train_trees({.examples = training.examples,
                                                          .encoder = training.encoder,
                                                          .plan = training.plan,
                                                          .targets = training.targets,
                                                          .hold_out = hold_out,
                                                          .threads = training.train.threads,
                                                          .deadline = deadline,
                                                          .progress = tree_progress(told)},
                                                         training.trees));
    for (const BoostedTrees::Member& member : trees->members()) {
      for (const TargetTrees& of_target : member) {
        trained.tree_rounds.push_back(of_target.trees.rounds());
      }
    }
    tree_folds = one_by_one(*trees);
    parts.push_back(std::move(trees));
  }

  // Members that held out the same rows are compared on them; a share of 0 held out none.
  if (parts.size() == 1) {
    trained.learners = {{.learner = parts.front()}};
    trained.held_out = judge_held_out(judge, with_networks ? network_folds : tree_folds);
    return trained;
  }
  const std::size_t folds =
      hold_out.share > 0 ? std::min(network_folds.size(), tree_folds.size()) : 0;
  LearnersByFold by_fold;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    by_fold.push_back({network_folds[fold], tree_folds[fold]});
  }
  trained.weights = learn_weights(judge, by_fold);
  std::vector<LearnerPointer> together;
  for (const std::vector<LearnerPointer>& fold : by_fold) {
    together.push_back(average_of(fold, trained.weights, training.targets));
  }
  trained.held_out = judge_held_out(judge, together);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (trained.weights[p] > 0) trained.learners.push_back({parts[p], trained.weights[p]});
  }
  return trained;
}

}  // namespace knockout
