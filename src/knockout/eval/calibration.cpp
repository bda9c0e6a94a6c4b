// SPDX-License-Identifier: Apache-2.0
// What reliability diagrams and the calibration error are made of.
#include <algorithm>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/eval/metric_list.h"

namespace knockout {
namespace {

/// What a reliability diagram compares in one row: a probability, and whether it came true.
struct Claim {
  double probability;
  double came_true;
  std::size_t bin() const {
    const auto bin = static_cast<std::size_t>(probability * CalibrationSums::kBins);
    return std::min(bin, CalibrationSums::kBins - 1);
  }
};

Claim claim_of(const TargetPrediction& prediction, double label, std::size_t row) {
  const std::size_t width = prediction.width();
  const std::size_t named = width == 2 ? 1 : prediction.best_class(row);
  return {std::clamp(prediction.values[row * width + named], 0.0, 1.0),
          label == static_cast<double>(named) ? 1.0 : 0.0};
}

}  // namespace

/// The mean over rows of |what was claimed - what came true|, the difference taken bin by bin. Bins
/// are fixed, so a row moves its bin's difference and nothing else.
ScoredRows calibration_error(const TargetPrediction& prediction, std::span<const double> labels) {
  std::array<double, CalibrationSums::kBins> excess = {};
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!labelled(labels[row])) continue;
    const Claim claim = claim_of(prediction, labels[row], row);
    excess[claim.bin()] += claim.probability - claim.came_true;
  }
  return mean_of(labels, [&](std::size_t row) {
    const Claim claim = claim_of(prediction, labels[row], row);
    const double sum = excess[claim.bin()];
    const double sign = sum > 0 ? 1.0 : sum < 0 ? -1.0 : 0.0;
    return sign * (claim.probability - claim.came_true);
  });
}

void CalibrationSums::add(const TargetPrediction& prediction, std::span<const double> labels) {
  if (prediction.target.task != Task::kClassification) {
    throw ConfigError(fmt::format("\"{}\" is a number: only probabilities can be calibrated.",
                                  prediction.target.name));
  }
  check_rows(prediction, labels);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!labelled(labels[row])) continue;
    const Claim claim = claim_of(prediction, labels[row], row);
    Sums& sums = sums_[claim.bin()];
    sums.probability += claim.probability;
    sums.true_count += claim.came_true;
    ++sums.count;
  }
}

std::vector<CalibrationBin> CalibrationSums::bins() const {
  std::vector<CalibrationBin> bins;
  for (const Sums& sums : sums_) {
    if (sums.count == 0) continue;
    const double count = static_cast<double>(sums.count);
    bins.push_back({sums.probability / count, sums.true_count / count, sums.count});
  }
  return bins;
}

std::vector<CalibrationBin> calibration_bins(const TargetPrediction& prediction,
                                             std::span<const double> labels) {
  CalibrationSums sums;
  sums.add(prediction, labels);
  return sums.bins();
}

}  // namespace knockout
