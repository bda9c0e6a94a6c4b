// SPDX-License-Identifier: Apache-2.0
// What every metric is. Internal to eval/: metrics.h is what others see.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "knockout/eval/metrics.h"

namespace knockout {

/// One metric. Adding one is an enumerator, a function and a line in metric_list.cpp.
struct KnownMetric {
  Metric metric;
  std::string_view name;   ///< In `--json`: never change one.
  std::string_view label;  ///< For people.
  Task task;
  bool lower_is_better;
  bool in_overview;  ///< Among the few for which a terminal has room.
  /// What it can be at all, given the number of classes; an interval ends there.
  double least;
  double (*most)(std::size_t classes);
  /// Its value and each row's influence. REQUIRES: labels that suit the prediction.
  ScoredRows (*score)(const TargetPrediction& prediction, std::span<const double> labels);
};

/// In the order of Metric; the first of each task is the one that `compare` ranks by.
std::span<const KnownMetric> known_metrics();
/// Throws ConfigError for a number that is no metric.
const KnownMetric& known_metric(Metric metric);

// --- what scores are made of ---

inline bool labelled(double label) { return !std::isnan(label); }

inline std::size_t count_labelled(std::span<const double> labels) {
  return static_cast<std::size_t>(std::count_if(labels.begin(), labels.end(), labelled));
}

/// Where the data decide nothing.
inline ScoredRows undecided(std::size_t rows) {
  return {.value = kNoEstimate.value, .influence = std::vector<double>(rows, 0.0), .labelled = 0};
}

/// The mean of a loss over the labelled rows. The influence of a mean is the loss minus the mean.
template <typename Loss>
ScoredRows mean_of(std::span<const double> labels, const Loss& loss) {
  ScoredRows scored{.influence = std::vector<double>(labels.size(), 0.0)};
  double sum = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!labelled(labels[row])) continue;
    scored.influence[row] = loss(row);
    sum += scored.influence[row];
    ++scored.labelled;
  }
  if (scored.labelled == 0) return undecided(labels.size());
  scored.value = sum / static_cast<double>(scored.labelled);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labelled(labels[row])) scored.influence[row] -= scored.value;
  }
  return scored;
}

/// Expected calibration error (calibration.cpp).
ScoredRows calibration_error(const TargetPrediction& prediction, std::span<const double> labels);

/// One label per row, each of them a class that there is, and answers that are finite, as a
/// Predictor promises: a NaN equals nothing, not even itself, and would spoil every order and every
/// bin. Throws ConfigError otherwise.
void check_rows(const TargetPrediction& prediction, std::span<const double> labels);

}  // namespace knockout
