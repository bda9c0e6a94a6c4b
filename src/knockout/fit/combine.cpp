// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/combine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/stage.h"

namespace knockout {
namespace {

constexpr int kSteps = 20;  ///< Weights that are tried: 0, 0.05, ..., 1.

/// Sums of losses, [target][weight of the second learner in steps].
using Losses = std::vector<std::vector<double>>;

/// The loss of `first` and `second` mixed, for one row.
double mixed_loss(const TargetCoding& coding, const double* first, const double* second,
                  double label, double share) {
  if (coding.target.task == Task::kRegression) {
    const double answer = (1 - share) * first[0] + share * second[0];
    const double error = (answer - coding.mean) / coding.stddev - label;
    return error * error;
  }
  constexpr double kLeast = 1e-15;
  const auto truth = static_cast<std::size_t>(label);
  return -std::log(std::max(kLeast, (1 - share) * first[truth] + share * second[truth]));
}

Losses losses_of(const HeldOutJudge& judge, const HeldOutRows& rows,
                 const std::vector<LearnerPointer>& learners, std::size_t part) {
  const HeldOutRows::Block block = rows.block(part);
  const HeldOutRows::Answers first = rows.answers(*learners[0], block);
  const HeldOutRows::Answers second = rows.answers(*learners[1], block);
  const std::size_t targets = judge.targets.size();
  Losses losses(targets, std::vector<double>(kSteps + 1));
  for (std::size_t i = 0; i < block.sources.size(); ++i) {
    const std::size_t example = block.sources[i] * targets;
    for (std::size_t t = 0; t < targets; ++t) {
      const float weight = judge.examples.weights[example + t];
      if (weight == 0.0F) continue;  // no label
      const std::size_t at = i * judge.targets[t].answer_width();
      for (int step = 0; step <= kSteps; ++step) {
        losses[t][static_cast<std::size_t>(step)] +=
            weight * mixed_loss(judge.targets[t], first[t].data() + at, second[t].data() + at,
                                judge.examples.labels[example + t],
                                static_cast<double>(step) / kSteps);
      }
    }
  }
  return losses;
}

class AverageOf final : public Learner {
 public:
  AverageOf(std::vector<LearnerPointer> learners, std::vector<double> weights,
            const std::vector<TargetCoding>& targets)
      : learners_(std::move(learners)), weights_(std::move(weights)), targets_(targets) {}

  std::string_view kind() const override { return "average"; }
  std::unique_ptr<LearnerWorkspace> make_workspace(int) const override {
    return std::make_unique<LearnerWorkspace>();
  }
  void answer(const EncodedBlock& block, LearnerWorkspace&,
              std::span<double* const> answers) const override {
    for (std::size_t l = 0; l < learners_.size(); ++l) {
      std::vector<std::vector<double>> own;
      std::vector<double*> pointers;
      for (const TargetCoding& coding : targets_) {
        own.emplace_back(static_cast<std::size_t>(block.rows) * coding.answer_width());
      }
      pointers.reserve(own.size());
      for (std::vector<double>& of_target : own) pointers.push_back(of_target.data());
      learners_[l]->answer(block, *learners_[l]->make_workspace(block.rows), pointers);
      for (std::size_t t = 0; t < own.size(); ++t) {
        for (std::size_t i = 0; i < own[t].size(); ++i) {
          answers[t][i] = (l == 0 ? 0.0 : answers[t][i]) + weights_[l] * own[t][i];
        }
      }
    }
  }
  nlohmann::json write(const std::string&, std::map<std::string, Tensor>&) const override {
    throw ConfigError("The average of learners is judged, not stored.");
  }

 private:
  std::vector<LearnerPointer> learners_;
  std::vector<double> weights_;
  const std::vector<TargetCoding>& targets_;
};

}  // namespace

std::vector<double> learn_weights(const HeldOutJudge& judge, const LearnersByFold& folds) {
  const Stage stage("weighing the learners on rows held out");
  Losses sum(judge.targets.size(), std::vector<double>(kSteps + 1));
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    const HeldOutRows rows(judge, static_cast<int>(fold));
    std::vector<Losses> parts(rows.parts());
    parallel_for(parts.size(), judge.threads, [&](std::size_t part) {
      parts[part] = losses_of(judge, rows, folds[fold], part);
    });
    for (const Losses& part : parts) {
      for (std::size_t t = 0; t < sum.size(); ++t) {
        for (std::size_t s = 0; s < sum[t].size(); ++s) sum[t][s] += part[t][s];
      }
    }
  }
  // Every target counts alike, whatever its loss. What the rows cannot tell stays near one half.
  constexpr double kPull = 0.02;
  int best = kSteps / 2;
  double least = std::numeric_limits<double>::infinity();
  for (int step = 0; step <= kSteps; ++step) {
    const double from_half = static_cast<double>(step) / kSteps - 0.5;
    double loss = kPull * from_half * from_half;
    for (const std::vector<double>& of_target : sum) {
      const double even = of_target[kSteps / 2];
      if (even > 0) {
        loss += of_target[static_cast<std::size_t>(step)] / even / static_cast<double>(sum.size());
      }
    }
    if (loss < least) {
      least = loss;
      best = step;
    }
  }
  const double second = static_cast<double>(best) / kSteps;
  return {1.0 - second, second};
}

LearnerPointer average_of(std::vector<LearnerPointer> learners, std::vector<double> weights,
                          const std::vector<TargetCoding>& targets) {
  return std::make_shared<AverageOf>(std::move(learners), std::move(weights), targets);
}

}  // namespace knockout
