// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/eval/metric_list.h"
#include "knockout/model/finite.h"

namespace knockout {

void check_rows(const TargetPrediction& prediction, std::span<const double> labels) {
  if (prediction.rows() != labels.size()) {
    throw ConfigError(
        fmt::format("{} labels for the {} predicted rows of \"{}\": give one per row.",
                    labels.size(), prediction.rows(), prediction.target.name));
  }
  if (!all_finite(std::span<const double>(prediction.values))) {
    throw ConfigError(fmt::format(
        "a prediction of \"{}\" is not finite: a predictor must answer with finite numbers.",
        prediction.target.name));
  }
  if (prediction.target.task == Task::kRegression) return;
  const double classes = static_cast<double>(prediction.width());
  for (const double label : labels) {
    if (!labelled(label) || (label >= 0 && label < classes && label == std::floor(label))) continue;
    throw ConfigError(
        fmt::format("the label {} of \"{}\": expected the index of one of its {} "
                    "classes, or NaN.",
                    label, prediction.target.name, classes));
  }
}

ScoredRows score(Metric metric, const TargetPrediction& prediction,
                 std::span<const double> labels) {
  const KnownMetric& asked = known_metric(metric);
  if (asked.task != prediction.target.task) {
    throw ConfigError(fmt::format("{} does not suit \"{}\", which is {}.", asked.name,
                                  prediction.target.name, to_string(prediction.target.task)));
  }
  check_rows(prediction, labels);
  ScoredRows scored = asked.score(prediction, labels);
  scored.least = asked.least;
  scored.most = asked.most(prediction.width());
  return scored;
}

namespace {

/// The loss of knowing only the labels' mean, or their shares: deviation, or entropy.
double base_loss(const Target& target, std::span<const double> labels) {
  if (target.task == Task::kRegression) {
    const double mean = mean_of(labels, [&](std::size_t row) { return labels[row]; }).value;
    return std::sqrt(mean_of(labels, [&](std::size_t row) {
                       return (labels[row] - mean) * (labels[row] - mean);
                     }).value);
  }
  std::vector<double> counts(target.classes.size(), 0.0);
  for (const double label : labels) {
    if (labelled(label)) counts[static_cast<std::size_t>(label)] += 1;
  }
  const double rows = static_cast<double>(count_labelled(labels));
  double entropy = 0;
  for (const double count : counts) {
    if (count > 0) entropy -= count / rows * std::log(count / rows);
  }
  return entropy;
}

}  // namespace

ScoredRows score_relative_loss(const TargetPrediction& prediction, std::span<const double> labels) {
  constexpr double kMost = 10;
  const bool regression = prediction.target.task == Task::kRegression;
  ScoredRows scored = score(regression ? Metric::kMse : Metric::kLogLoss, prediction, labels);
  if (std::isnan(scored.value)) return scored;
  const double base = base_loss(prediction.target, labels);
  const double loss = regression ? std::sqrt(scored.value) : scored.value;
  // The square root by the delta method.
  const double slope = (regression ? (loss > 0 ? 0.5 / loss : 0.0) : 1.0) / base;
  scored.value = base > 0 ? loss / base : loss > 0 ? kMost : 0.0;
  const bool certain = !(base > 0) || !(scored.value < kMost);
  scored.value = std::min(scored.value, kMost);
  for (double& influence : scored.influence) influence = certain ? 0.0 : influence * slope;
  return scored;
}

}  // namespace knockout
