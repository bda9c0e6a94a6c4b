// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/eval/metrics.h"
#include "knockout/eval/patterns.h"

namespace knockout {

/// One target under one pattern, or averaged over the patterns of one size.
struct TargetScores {
  std::vector<Metric> metrics;
  std::vector<Estimate> estimates;  ///< One per metric.
  /// Throws ConfigError for a metric that is not there.
  const Estimate& at(Metric metric) const;
};

struct PatternScores {
  NamedPattern pattern;
  std::vector<TargetScores> targets;
};

/// All patterns with the same number of missing units: means over them, the rows kept together.
struct LevelScores {
  std::size_t missing = 0;
  std::size_t patterns = 0;
  std::vector<TargetScores> targets;
  std::vector<std::vector<CalibrationBin>> calibration;  ///< Per target; classification only.
};

/// What losing one input alone costs: its score minus that of complete rows, paired by row.
struct InputCost {
  std::string unit;
  std::vector<TargetScores> differences;  ///< Per target.
};

struct Evaluation {
  std::vector<Target> targets;
  std::size_t rows = 0;
  std::vector<PatternScores> patterns;
  std::vector<LevelScores> levels;  ///< Ascending.
  std::vector<InputCost> costs;     ///< Most costly first; of the units evaluated alone.
  std::vector<std::string> notes;
  double seconds = 0;
};

struct EvaluateOptions {
  GapOverrides overrides = {};  ///< What gaps mean, those that a pattern makes too.
  int threads = 0;
  std::function<void(double share_done)> progress = {};  ///< Called from the caller's thread.
};

/// Scores a predictor on labelled rows under every pattern of the list. Memory does not grow with
/// the number of patterns, as long as the list comes in the order that it promises. No number
/// depends on the thread count. Throws DataError when the table has no labels, and
/// ConfigError when the predictor has no target.
///   Evaluation found = evaluate(model, test, patterns_up_to(model.schema(), 2));
Evaluation evaluate(const Predictor& predictor, const Table& table, const PatternList& patterns,
                    const EvaluateOptions& options = {});

/// Everything in it, numbers at full precision; what the data do not decide is null.
nlohmann::ordered_json to_json(const Evaluation& evaluation);

}  // namespace knockout
