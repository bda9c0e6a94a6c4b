// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "knockout/eval/metric_list.h"

namespace knockout {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void add(ScoredRows& sum, const ScoredRows& other, double times) {
  sum.value += times * other.value;
  if (sum.influence.empty()) sum.influence.resize(other.influence.size(), 0.0);
  assert(sum.influence.size() == other.influence.size());
  for (std::size_t row = 0; row < sum.influence.size(); ++row) {
    sum.influence[row] += times * other.influence[row];
  }
}

}  // namespace

std::string_view to_string(Metric metric) { return known_metric(metric).name; }

std::string_view label_of(Metric metric) { return known_metric(metric).label; }

bool lower_is_better(Metric metric) { return known_metric(metric).lower_is_better; }

std::vector<Metric> metrics_of(Task task) {
  std::vector<Metric> metrics;
  for (const KnownMetric& one : known_metrics()) {
    if (one.task == task) metrics.push_back(one.metric);
  }
  return metrics;
}

std::vector<Metric> overview_metrics(Task task) {
  std::vector<Metric> metrics = metrics_of(task);
  std::erase_if(metrics, [](Metric metric) { return !known_metric(metric).in_overview; });
  return metrics;
}

Estimate estimate(const ScoredRows& scored) {
  if (std::isnan(scored.value)) return kNoEstimate;
  if (scored.labelled < 2) return {scored.value, kNan, kNan, kNan};
  double squares = 0;
  for (const double influence : scored.influence) squares += influence * influence;
  const double rows = static_cast<double>(scored.labelled);
  const double standard_error = std::sqrt(squares / rows / (rows - 1.0));
  constexpr double kNormalQuantile = 1.959963984540054;  // of 0.975
  const double half = kNormalQuantile * standard_error;
  return {.value = scored.value,
          .low = std::max(scored.value - half, std::min(scored.value, scored.least)),
          .high = std::min(scored.value + half, std::max(scored.value, scored.most)),
          .standard_error = standard_error};
}

void MeanScore::add(const ScoredRows& scored) {
  knockout::add(sum_, scored, 1.0);
  sum_.labelled = scored.labelled;
  sum_.least = scored.least;
  sum_.most = scored.most;
  ++count_;
}

Estimate MeanScore::estimate() const {
  if (count_ == 0) return kNoEstimate;
  ScoredRows mean{
      .influence = {}, .labelled = sum_.labelled, .least = sum_.least, .most = sum_.most};
  knockout::add(mean, sum_, 1.0 / static_cast<double>(count_));
  return knockout::estimate(mean);
}

Estimate difference_estimate(const ScoredRows& a, const ScoredRows& b) {
  ScoredRows difference = a;
  add(difference, b, -1.0);
  difference.least = a.least - b.most;
  difference.most = a.most - b.least;
  return estimate(difference);
}

}  // namespace knockout
