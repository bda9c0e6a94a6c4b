// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/train_trees.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "knockout/base/parallel.h"
#include "knockout/base/stop.h"
#include "knockout/mask/sampler.h"
#include "knockout/model/write_placeholders.h"
#include "knockout/trees/grow_trees.h"

namespace knockout {
namespace {

constexpr std::size_t kBatchRows = 4096;

int copies_for(std::size_t rows) {
  constexpr double kCopiedRows = 40000;
  return static_cast<int>(std::clamp(kCopiedRows / static_cast<double>(rows), 3.0, 8.0));
}

/// A number for each level of the embedded categories: the mean label of its rows or, for more than
/// two classes, how frequent it is. Levels with few rows lean on the mean of all.
LevelNumbers learn_levels(const TreeTraining& training, const TreeInputs& inputs,
                          const std::vector<std::uint32_t>& rows, std::size_t target) {
  constexpr double kPriorRows = 10;
  const std::size_t heads = training.targets.size();
  const auto codes = static_cast<std::size_t>(inputs.codes());
  const bool counts_only = training.targets[target].head.loss == Loss::kSoftmax;
  LevelNumbers numbers;
  for (std::size_t c = 0; c < codes; ++c) {
    const auto levels = static_cast<std::size_t>(inputs.levels(c));
    std::vector<double> sums(levels), weights(levels);
    double sum = 0, weight = 0;
    for (const std::uint32_t row : rows) {
      const auto level = static_cast<std::size_t>(training.examples.inputs.codes[row * codes + c]);
      const double counts = training.examples.weights[row * heads + target];
      if (level >= levels || counts == 0) continue;
      sums[level] += counts * training.examples.labels[row * heads + target];
      weights[level] += counts;
      sum += counts * training.examples.labels[row * heads + target];
      weight += counts;
    }
    const double mean = weight > 0 ? sum / weight : 0.0;
    std::vector<float>& of_column = numbers.emplace_back();
    for (std::size_t level = 0; level < levels; ++level) {
      const double number = counts_only
                                ? std::log1p(weights[level])
                                : (sums[level] + kPriorRows * mean) / (weights[level] + kPriorRows);
      of_column.push_back(static_cast<float>(number));
    }
  }
  return numbers;
}

/// Encoded rows, knocked out or not, as trees read them.
class RowMaker {
 public:
  RowMaker(const TreeTraining& training, const TreeInputs& inputs, LevelNumbers levels,
           std::size_t target)
      : training_(training), inputs_(inputs), levels_(std::move(levels)), target_(target) {}

  void clear() { rows_ = 0; }
  /// Adds a row of the table; an empty mask leaves it as it is. `weight` counts besides its own.
  void add(std::uint32_t row, std::span<const std::uint8_t> mask, float weight) {
    const EncodedRows& encoded = training_.examples.inputs;
    const auto width = static_cast<std::size_t>(encoded.width);
    const auto codes = static_cast<std::size_t>(encoded.code_count);
    const std::size_t heads = training_.targets.size();
    values_.assign(encoded.values.data() + row * width, encoded.values.data() + (row + 1) * width);
    codes_.assign(encoded.codes.data() + row * codes, encoded.codes.data() + (row + 1) * codes);
    write_placeholders(training_.encoder, mask, values_.data(), codes_.data());
    const auto columns = static_cast<std::size_t>(inputs_.columns());
    if (numbers_.size() < (rows_ + 1) * columns) {
      numbers_.resize((rows_ + 1) * columns);
      labels_.resize(rows_ + 1);
      weights_.resize(rows_ + 1);
    }
    inputs_.write({1, values_.data(), codes_.data()}, levels_, numbers_.data() + rows_ * columns);
    labels_[rows_] = training_.examples.labels[row * heads + target_];
    weights_[rows_] = training_.examples.weights[row * heads + target_] * weight;
    ++rows_;
  }

  TreeBatches::Batch batch() const {
    return {{numbers_.data(), rows_, inputs_.columns()},
            std::span(labels_).first(rows_),
            std::span(weights_).first(rows_)};
  }
  const LevelNumbers& levels() const { return levels_; }

 private:
  const TreeTraining& training_;
  const TreeInputs& inputs_;
  LevelNumbers levels_;
  std::size_t target_;
  std::vector<float> values_, numbers_, labels_, weights_;
  std::vector<std::int32_t> codes_;
  std::size_t rows_ = 0;
};

/// All copies of the training rows of a member: first as they are, then knocked out. Together they
/// weigh what the rows do, so that regularisation means what it says.
class Copies final : public TreeBatches {
 public:
  Copies(RowMaker& maker, const std::vector<std::uint32_t>& rows, int copies,
         const KnockoutSampler& sampler)
      : maker_(maker), rows_(rows), copies_(copies), sampler_(sampler) {}

  std::size_t count() const override { return static_cast<std::size_t>(copies_) * chunks(); }

  Batch batch(std::size_t index) override {
    const std::size_t copy = index / chunks(), begin = index % chunks() * kBatchRows;
    const std::size_t end = std::min(rows_.size(), begin + kBatchRows);
    std::vector<std::uint8_t> mask(copy == 0 ? 0 : static_cast<std::size_t>(sampler_.units()));
    maker_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      if (copy > 0) sampler_.draw(copy, rows_[i], mask);
      maker_.add(rows_[i], mask, 1.0F / static_cast<float>(copies_));
    }
    return maker_.batch();
  }

 private:
  std::size_t chunks() const { return (rows_.size() + kBatchRows - 1) / kBatchRows; }

  RowMaker& maker_;
  const std::vector<std::uint32_t>& rows_;
  int copies_;
  const KnockoutSampler& sampler_;
};

/// Adds up how far the boosters are.
class Shares {
 public:
  Shares(std::size_t boosters, const std::function<void(double)>& progress)
      : shares_(boosters), progress_(progress) {}

  void report(std::size_t booster, double share) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    shares_[booster] = share;
    progress_(std::accumulate(shares_.begin(), shares_.end(), 0.0) /
              static_cast<double>(shares_.size()));
  }

 private:
  std::mutex mutex_;
  std::vector<double> shares_;
  const std::function<void(double)>& progress_;
};

TreeOptions tree_options(const KnockoutTreeOptions& options, const Head& head, std::uint64_t seed) {
  return {.objective = objective_of(head),
          .classes = head.output_width,
          .rounds = options.rounds,
          .learning_rate = options.learning_rate,
          .max_depth = options.depth,
          .row_share = 0.8,
          .split_column_share = 0.6,
          .patience = std::max(10, static_cast<int>(std::lround(3 / options.learning_rate))),
          .seed = seed,
          .threads = 1};  // boosters run beside each other, and the bytes are the same everywhere
}

}  // namespace

BoostedTrees train_trees(const TreeTraining& training, const KnockoutTreeOptions& options) {
  check_ranges(options);
  const TreeInputs inputs(training.encoder);
  const std::size_t targets = training.targets.size();
  const auto members = static_cast<std::size_t>(options.members);
  std::vector<std::optional<TargetTrees>> grown(members * targets);
  Shares shares(grown.size(), training.progress);

  parallel_for(grown.size(), training.threads, [&](std::size_t booster) {
    const int member = static_cast<int>(booster / targets);
    const std::size_t target = booster % targets;
    const RowSplit split = split_rows(training.examples, training.hold_out, member);
    const std::uint64_t seed = training.hold_out.seed + static_cast<std::uint64_t>(member);
    const KnockoutSampler sampler(training.plan, Random(training.hold_out.seed, Stream::kTrees,
                                                        static_cast<std::uint32_t>(member)));
    LevelNumbers levels = learn_levels(training, inputs, split.training, target);

    RowMaker judged(training, inputs, levels, target);
    const KnockoutSampler judging = held_out_sampler(training.plan, training.hold_out, member);
    std::vector<std::uint8_t> mask(static_cast<std::size_t>(judging.units()));
    for (std::size_t i = 0; i < split.judged_rows(); ++i) {
      judging.draw(0, static_cast<std::uint32_t>(i), mask);
      judged.add(split.source(i), mask, 1.0F);
    }
    RowMaker learned(training, inputs, std::move(levels), target);
    Copies copies(learned, split.training,
                  options.copies.value_or(copies_for(split.training.size())), sampler);
    TreeOptions grow = tree_options(options, training.targets[target].head, seed);
    constexpr int kRoundsUnjudged = 300;  // nobody says when to stop
    if (split.held_out.empty()) grow.rounds = std::min(grow.rounds, kRoundsUnjudged);
    TreeModel trees = grow_trees(copies, judged.batch(), grow, [&](int rounds) {
      // Most stop long before the last round: the share is a guess that never goes back.
      shares.report(booster, 1.0 - std::exp(-3.0 * rounds / 500.0));
      return std::chrono::steady_clock::now() < training.deadline;
    });
    shares.report(booster, 1.0);
    grown[booster] = TargetTrees{std::move(trees), learned.levels()};
  });

  std::vector<BoostedTrees::Member> all(members);
  for (std::size_t b = 0; b < grown.size(); ++b) {
    all[b / targets].push_back(std::move(*grown[b]));
  }
  return {training.encoder, std::move(all), training.targets};
}

}  // namespace knockout
