// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/evaluate.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/stage.h"
#include "knockout/base/wording.h"
#include "knockout/schema/understand.h"

namespace knockout {
namespace {

/// Numbers held while a batch of patterns is scored: predictions and influences.
constexpr std::size_t kBatchValues = std::size_t{1} << 23;
constexpr std::size_t kMostPatternsInBatch = 16;

/// One target of the rows that are scored.
struct Labelled {
  Target target;
  std::vector<Metric> metrics;
  std::vector<double> labels;
};

using Scores = std::vector<ScoredRows>;  ///< One per metric of a target.

/// What is summed up over the patterns with the same number missing.
struct LevelSums {
  std::size_t patterns_left = 0, patterns = 0;
  std::vector<std::vector<MeanScore>> means;  ///< Per target and metric.
  std::vector<CalibrationSums> calibration;   ///< Per target.
};

class Evaluator {
 public:
  Evaluator(std::vector<Labelled> targets, const PatternList& list, const EvaluateOptions& options)
      : targets_(std::move(targets)), list_(list), options_(options) {
    std::size_t values_per_row = 0;
    for (const Labelled& target : targets_) {
      values_per_row += std::max<std::size_t>(1, target.target.classes.size());
      values_per_row += target.metrics.size();
    }
    const std::size_t rows = std::max<std::size_t>(1, targets_.front().labels.size());
    batch_limit_ =
        std::clamp<std::size_t>(kBatchValues / (rows * values_per_row), 1, kMostPatternsInBatch);
    for (const NamedPattern& pattern : list.patterns) ++levels_[pattern.missing].patterns_left;
    result_.patterns.reserve(list.patterns.size());
  }

  /// Takes the predictions of the next pattern.
  void receive(const std::vector<TargetPrediction>& predictions) {
    batch_.push_back(predictions);
    const std::size_t received = result_.patterns.size() + batch_.size();
    if (batch_.size() < batch_limit_ && received < list_.patterns.size()) return;
    score_batch();
    if (options_.progress) {
      options_.progress(static_cast<double>(received) / static_cast<double>(list_.patterns.size()));
    }
  }

  Evaluation finish() {
    if (result_.patterns.size() != list_.patterns.size()) {
      throw ConfigError(fmt::format("the model answered {} of {} missing patterns.",
                                    result_.patterns.size() + batch_.size(),
                                    list_.patterns.size()));
    }
    const auto by_missing = [](const LevelScores& level) { return level.missing; };
    std::ranges::sort(result_.levels, {}, by_missing);
    std::ranges::stable_sort(result_.costs, [](const InputCost& a, const InputCost& b) {
      const TargetScores &left = a.differences.front(), &right = b.differences.front();
      const double sign = lower_is_better(left.metrics.front()) ? 1.0 : -1.0;
      return sign * left.estimates.front().value > sign * right.estimates.front().value;
    });
    return std::move(result_);
  }

 private:
  void score_batch() {
    // Pattern, target and metric are independent of each other; sums are formed in order, so that
    // nothing depends on the number of threads.
    struct Item {
      std::size_t pattern, target, metric;
    };
    std::vector<Item> items;
    std::vector<std::vector<Scores>> scores(batch_.size());
    for (std::size_t p = 0; p < batch_.size(); ++p) {
      for (std::size_t t = 0; t < targets_.size(); ++t) {
        scores[p].emplace_back(targets_[t].metrics.size());
        for (std::size_t m = 0; m < targets_[t].metrics.size(); ++m) items.push_back({p, t, m});
      }
    }
    parallel_for(items.size(), options_.threads, [&](std::size_t i) {
      const auto [p, t, m] = items[i];
      scores[p][t][m] = score(targets_[t].metrics[m], batch_[p][t], targets_[t].labels);
    });
    for (std::size_t p = 0; p < batch_.size(); ++p) add_pattern(batch_[p], std::move(scores[p]));
    batch_.clear();
  }

  void add_pattern(const std::vector<TargetPrediction>& predictions, std::vector<Scores> scores) {
    const NamedPattern& pattern = list_.patterns[result_.patterns.size()];
    result_.patterns.push_back(
        {pattern, scores_of([&](std::size_t t, std::size_t m) { return estimate(scores[t][m]); })});
    add_to_level(pattern.missing, predictions, scores);
    if (pattern.missing == 1 && nothing_missing_) {
      result_.costs.push_back({pattern.name, scores_of([&](std::size_t t, std::size_t m) {
                                 return difference_estimate(scores[t][m],
                                                            (*nothing_missing_)[t][m]);
                               })});
    }
    if (pattern.missing == 0 && !nothing_missing_) nothing_missing_ = std::move(scores);
  }

  void add_to_level(std::size_t missing, const std::vector<TargetPrediction>& predictions,
                    const std::vector<Scores>& scores) {
    LevelSums& sums = levels_.at(missing);
    if (sums.patterns == 0) {
      for (const Labelled& target : targets_) sums.means.emplace_back(target.metrics.size());
      sums.calibration.resize(targets_.size());
    }
    ++sums.patterns;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      for (std::size_t m = 0; m < scores[t].size(); ++m) sums.means[t][m].add(scores[t][m]);
      if (targets_[t].target.task == Task::kClassification) {
        sums.calibration[t].add(predictions[t], targets_[t].labels);
      }
    }
    if (--sums.patterns_left > 0) return;
    // The last of its size: only levels under way take memory.
    LevelScores& level = result_.levels.emplace_back();
    level.missing = missing;
    level.patterns = sums.patterns;
    level.targets =
        scores_of([&](std::size_t t, std::size_t m) { return sums.means[t][m].estimate(); });
    for (const CalibrationSums& calibration : sums.calibration) {
      level.calibration.push_back(calibration.bins());
    }
    levels_.erase(missing);
  }

  template <typename EstimateOf>
  std::vector<TargetScores> scores_of(const EstimateOf& estimate_of) const {
    std::vector<TargetScores> targets;
    for (std::size_t t = 0; t < targets_.size(); ++t) {
      TargetScores& scores = targets.emplace_back();
      scores.metrics = targets_[t].metrics;
      for (std::size_t m = 0; m < scores.metrics.size(); ++m) {
        scores.estimates.push_back(estimate_of(t, m));
      }
    }
    return targets;
  }

  std::vector<Labelled> targets_;
  const PatternList& list_;
  const EvaluateOptions& options_;
  std::size_t batch_limit_ = 1;
  std::vector<std::vector<TargetPrediction>> batch_;
  std::map<std::size_t, LevelSums> levels_;
  std::optional<std::vector<Scores>> nothing_missing_;  ///< What the costs are measured against.
  Evaluation result_;
};

Labelled labelled_target(const Table& table, const Target& target) {
  Labelled labelled{target, metrics_of(target.task), labels_of(table, target)};
  if (std::ranges::all_of(labelled.labels, [](double label) { return std::isnan(label); })) {
    throw DataError(
        fmt::format("{}, column \"{}\": no row has a label, so there is nothing to judge "
                    "predictions by.",
                    table.source().empty() ? "table" : table.source(), target.name));
  }
  return labelled;
}

/// What a reader of the numbers should know about the rows.
std::vector<std::string> notes_about(const Table& table, const Schema& schema,
                                     const std::vector<Labelled>& targets) {
  std::vector<std::string> notes;
  for (const Labelled& target : targets) {
    const auto unlabelled = static_cast<std::size_t>(
        std::ranges::count_if(target.labels, [](double label) { return std::isnan(label); }));
    if (unlabelled == 0) continue;
    notes.push_back(fmt::format("{} of {} {} no label of \"{}\" and {} not scored", unlabelled,
                                plural(table.rows(), "row"), agreeing(unlabelled, "has", "have"),
                                target.target.name, agreeing(unlabelled, "is", "are")));
  }
  std::size_t gaps = 0;
  for (const Feature& feature : schema.features) {
    const Column* const column = table.find(feature.name);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      gaps += column == nullptr || !column->observed(row) ? 1 : 0;
    }
  }
  if (gaps > 0) {
    const double cells = static_cast<double>(table.rows() * schema.features.size());
    notes.push_back(
        fmt::format("{:.1f} % of the input cells are missing in the data themselves; patterns come "
                    "on top of that, and \"nothing\" means nothing more",
                    100.0 * static_cast<double>(gaps) / cells));
  }
  if (!schema.weight_column.empty()) {
    notes.push_back(fmt::format("every row counts the same: the weights of \"{}\" are not used",
                                schema.weight_column));
  }
  return notes;
}

}  // namespace

const Estimate& TargetScores::at(Metric metric) const {
  const auto found = std::ranges::find(metrics, metric);
  if (found == metrics.end()) {
    std::vector<std::string> names;
    for (const Metric known : metrics) names.emplace_back(to_string(known));
    throw ConfigError(
        fmt::format("{} was not scored; there is {}.", to_string(metric),
                    names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "))));
  }
  return estimates[static_cast<std::size_t>(found - metrics.begin())];
}

Evaluation evaluate(const Predictor& predictor, const Table& given, const PatternList& patterns,
                    const EvaluateOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Stage stage(fmt::format("scoring {} on {}", plural(patterns.patterns.size(), "pattern"),
                                plural(given.rows(), "row")));
  Table room;
  const Table& table = read_as(predictor.schema(), given, room, options.threads);
  std::vector<Labelled> targets;
  for (const Target& target : predictor.schema().targets) {
    targets.push_back(labelled_target(table, target));
  }
  if (targets.empty()) throw ConfigError("the model predicts nothing that could be scored.");
  std::vector<std::string> notes = patterns.notes;
  for (std::string& note : notes_about(table, predictor.schema(), targets)) {
    notes.push_back(std::move(note));
  }
  std::vector<MissingPattern> hidden;
  for (const NamedPattern& pattern : patterns.patterns) hidden.push_back(pattern.pattern);

  Evaluator evaluator(std::move(targets), patterns, options);
  predictor.predict_patterns(
      table, hidden,
      [&](std::size_t, const std::vector<TargetPrediction>& predictions) {
        evaluator.receive(predictions);
      },
      options.overrides, options.threads);
  Evaluation found = evaluator.finish();
  found.targets = predictor.schema().targets;
  found.rows = table.rows();
  found.notes = std::move(notes);
  found.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return found;
}

}  // namespace knockout
