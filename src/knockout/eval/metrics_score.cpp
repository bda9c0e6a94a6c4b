// SPDX-License-Identifier: Apache-2.0
// Every metric and its influence function; metrics.cpp turns them into estimates.
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/eval/metrics.h"
#include "knockout/model/f1.h"

namespace knockout {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastProbability = 1e-15;  ///< Of log loss: one certain error is not infinite.

bool labelled(double label) { return !std::isnan(label); }

std::size_t count_labelled(std::span<const double> labels) {
  return static_cast<std::size_t>(std::count_if(labels.begin(), labels.end(), labelled));
}

ScoredRows undecided(std::size_t rows) {
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

/// 1 - A / B, the mean squared error over the variance of the labels, by the delta method. That the
/// labels' mean is estimated moves B only in second order.
ScoredRows r2(const TargetPrediction& prediction, std::span<const double> labels) {
  const double mean = mean_of(labels, [&](std::size_t row) { return labels[row]; }).value;
  const ScoredRows error = mean_of(labels, [&](std::size_t row) {
    return (labels[row] - prediction.values[row]) * (labels[row] - prediction.values[row]);
  });
  const ScoredRows spread =
      mean_of(labels, [&](std::size_t row) { return (labels[row] - mean) * (labels[row] - mean); });
  if (!(spread.value > 0)) return undecided(labels.size());
  ScoredRows scored = error;
  scored.value = 1.0 - error.value / spread.value;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    scored.influence[row] =
        (error.value / spread.value * spread.influence[row] - error.influence[row]) / spread.value;
  }
  return scored;
}

/// Metrics of one class against the rest, averaged over the classes for which the data decide them.
template <typename OfClass>
ScoredRows mean_over_classes(const TargetPrediction& prediction, std::span<const double> labels,
                             const OfClass& of_class) {
  if (prediction.width() == 2) return of_class(1);
  ScoredRows sum{.influence = std::vector<double>(labels.size(), 0.0)};
  double decided = 0;
  for (std::size_t c = 0; c < prediction.width(); ++c) {
    const ScoredRows scored = of_class(c);
    if (std::isnan(scored.value)) continue;
    decided += 1;
    sum.value += scored.value;
    sum.labelled = scored.labelled;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      sum.influence[row] += scored.influence[row];
    }
  }
  if (decided == 0) return undecided(labels.size());
  sum.value /= decided;
  for (double& influence : sum.influence) influence /= decided;
  return sum;
}

/// The area under the ROC curve of one class, with the placement values of DeLong, DeLong and
/// Clarke-Pearson 1988: the share of the other side that a row beats, ties counting half.
ScoredRows auroc(const TargetPrediction& prediction, std::span<const double> labels,
                 std::size_t positive_class) {
  struct Ranked {
    double probability;
    std::size_t row;
  };
  const std::size_t width = prediction.width();
  const double positive_label = static_cast<double>(positive_class);
  std::vector<Ranked> ranked;
  ranked.reserve(labels.size());
  double positives = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!labelled(labels[row])) continue;
    ranked.push_back({prediction.values[row * width + positive_class], row});
    positives += labels[row] == positive_label ? 1 : 0;
  }
  const double rows = static_cast<double>(ranked.size()), negatives = rows - positives;
  if (positives == 0 || negatives == 0) return undecided(labels.size());
  std::sort(ranked.begin(), ranked.end(),
            [](const Ranked& a, const Ranked& b) { return a.probability < b.probability; });

  ScoredRows scored{.influence = std::vector<double>(labels.size(), 0.0),
                    .labelled = ranked.size()};
  double positives_below = 0, negatives_below = 0, area = 0;
  for (std::size_t begin = 0, end = 0; begin < ranked.size(); begin = end) {
    double tied_positives = 0, tied = 0;
    for (; end < ranked.size() && ranked[end].probability == ranked[begin].probability; ++end) {
      tied += 1;
      tied_positives += labels[ranked[end].row] == positive_label ? 1 : 0;
    }
    const double tied_negatives = tied - tied_positives;
    const double of_positive = (negatives_below + 0.5 * tied_negatives) / negatives;
    const double of_negative = 1.0 - (positives_below + 0.5 * tied_positives) / positives;
    for (std::size_t i = begin; i < end; ++i) {
      const bool positive = labels[ranked[i].row] == positive_label;
      scored.influence[ranked[i].row] = positive ? of_positive : of_negative;
    }
    area += tied_positives * of_positive;
    positives_below += tied_positives;
    negatives_below += tied_negatives;
  }
  scored.value = area / positives;
  for (const Ranked& each : ranked) {
    const double side = labels[each.row] == positive_label ? positives : negatives;
    scored.influence[each.row] = (scored.influence[each.row] - scored.value) * rows / side;
  }
  return scored;
}

/// F1 = 2 hits / (rows predicted + rows labelled), a ratio of means, by the delta method.
ScoredRows f1(const TargetPrediction& prediction, std::span<const double> labels,
              std::size_t positive_class) {
  const auto predicted = [&](std::size_t row) {
    return prediction.best_class(row) == positive_class ? 1.0 : 0.0;
  };
  const auto positive = [&](std::size_t row) {
    return labels[row] == static_cast<double>(positive_class) ? 1.0 : 0.0;
  };
  ClassCounts counts;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!labelled(labels[row])) continue;
    counts.hits += predicted(row) * positive(row);
    counts.named += predicted(row);
    counts.there += positive(row);
  }
  ScoredRows scored{.value = f1_of(counts),
                    .influence = std::vector<double>(labels.size(), 0.0),
                    .labelled = count_labelled(labels)};
  if (std::isnan(scored.value)) return undecided(labels.size());
  const double mean_mentions = (counts.named + counts.there) / static_cast<double>(scored.labelled);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!labelled(labels[row])) continue;
    scored.influence[row] =
        (2.0 * predicted(row) * positive(row) - scored.value * (predicted(row) + positive(row))) /
        mean_mentions;
  }
  return scored;
}

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

ScoredRows score_in_range(Metric metric, const TargetPrediction& prediction,
                          std::span<const double> labels) {
  const std::vector<double>& values = prediction.values;
  const std::size_t width = prediction.width();
  const auto right = [&](std::size_t row) {
    return static_cast<double>(prediction.best_class(row)) == labels[row];
  };
  switch (metric) {
    case Metric::kMse:
      return mean_of(labels, [&](std::size_t row) {
        return (values[row] - labels[row]) * (values[row] - labels[row]);
      });
    case Metric::kMae:
      return mean_of(labels, [&](std::size_t row) { return std::abs(values[row] - labels[row]); });
    case Metric::kR2:
      return r2(prediction, labels);
    case Metric::kAccuracy:
      return mean_of(labels, [&](std::size_t row) { return right(row) ? 1.0 : 0.0; });
    case Metric::kErrorRate:
      return mean_of(labels, [&](std::size_t row) { return right(row) ? 0.0 : 1.0; });
    case Metric::kLogLoss:
      return mean_of(labels, [&](std::size_t row) {
        const auto label = static_cast<std::size_t>(labels[row]);
        return -std::log(std::max(values[row * width + label], kLeastProbability));
      });
    case Metric::kAuroc:
      return mean_over_classes(prediction, labels,
                               [&](std::size_t c) { return auroc(prediction, labels, c); });
    case Metric::kF1:
      return mean_over_classes(prediction, labels,
                               [&](std::size_t c) { return f1(prediction, labels, c); });
    case Metric::kBrier:
      return mean_of(labels, [&](std::size_t row) {
        double sum = 0;
        for (std::size_t c = width == 2 ? 1 : 0; c < width; ++c) {
          const double truth = labels[row] == static_cast<double>(c) ? 1.0 : 0.0;
          sum += (values[row * width + c] - truth) * (values[row * width + c] - truth);
        }
        return sum;
      });
    case Metric::kCalibrationError:
      return calibration_error(prediction, labels);
  }
  return undecided(labels.size());
}

/// What a metric can be at all.
std::pair<double, double> range_of(Metric metric, std::size_t classes) {
  switch (metric) {
    case Metric::kMse:
    case Metric::kMae:
    case Metric::kLogLoss:
      return {0, kInfinity};
    case Metric::kR2:
      return {-kInfinity, 1};
    case Metric::kBrier:
      return {0, classes == 2 ? 1 : 2};
    default:
      return {0, 1};
  }
}

/// One label per row, each of them a class that there is.
void check_labels(const TargetPrediction& prediction, std::span<const double> labels) {
  if (prediction.rows() != labels.size()) {
    throw ConfigError(
        fmt::format("{} labels for the {} predicted rows of \"{}\": give one per row.",
                    labels.size(), prediction.rows(), prediction.target.name));
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

}  // namespace

ScoredRows score(Metric metric, const TargetPrediction& prediction,
                 std::span<const double> labels) {
  const bool of_numbers = metric == Metric::kMse || metric == Metric::kMae || metric == Metric::kR2;
  if (of_numbers != (prediction.target.task == Task::kRegression)) {
    throw ConfigError(fmt::format("{} does not suit \"{}\", which is {}.", to_string(metric),
                                  prediction.target.name, to_string(prediction.target.task)));
  }
  check_labels(prediction, labels);
  ScoredRows scored = score_in_range(metric, prediction, labels);
  std::tie(scored.least, scored.most) = range_of(metric, prediction.width());
  return scored;
}

void CalibrationSums::add(const TargetPrediction& prediction, std::span<const double> labels) {
  if (prediction.target.task != Task::kClassification) {
    throw ConfigError(fmt::format("\"{}\" is a number: only probabilities can be calibrated.",
                                  prediction.target.name));
  }
  check_labels(prediction, labels);
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
