// SPDX-License-Identifier: Apache-2.0
// Every metric with its influence function; metrics.cpp turns them into estimates.
#include "knockout/eval/metric_list.h"

#include <array>
#include <limits>

#include "knockout/base/enumerators.h"
#include "knockout/base/error.h"
#include "knockout/model/f1.h"

namespace knockout {
namespace {

using Labels = std::span<const double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastProbability = 1e-15;  ///< Of log loss: one certain error is not infinite.

double square(double number) { return number * number; }

// --- numbers ---

ScoredRows mean_squared_error(const TargetPrediction& prediction, Labels labels) {
  return mean_of(labels,
                 [&](std::size_t row) { return square(prediction.values[row] - labels[row]); });
}

/// By the delta method.
ScoredRows root_mean_squared_error(const TargetPrediction& prediction, Labels labels) {
  ScoredRows scored = mean_squared_error(prediction, labels);
  scored.value = std::sqrt(scored.value);
  const double slope = scored.value > 0 ? 0.5 / scored.value : 0.0;
  for (double& influence : scored.influence) influence *= slope;
  return scored;
}

ScoredRows mean_absolute_error(const TargetPrediction& prediction, Labels labels) {
  return mean_of(labels,
                 [&](std::size_t row) { return std::abs(prediction.values[row] - labels[row]); });
}

/// 1 - A / B, the mean squared error over the variance of the labels, by the delta method. That the
/// labels' mean is estimated moves B only in second order.
ScoredRows r2(const TargetPrediction& prediction, Labels labels) {
  const double mean = mean_of(labels, [&](std::size_t row) { return labels[row]; }).value;
  const ScoredRows error = mean_squared_error(prediction, labels);
  const ScoredRows spread =
      mean_of(labels, [&](std::size_t row) { return square(labels[row] - mean); });
  if (!(spread.value > 0)) return undecided(labels.size());
  ScoredRows scored = error;
  scored.value = 1.0 - error.value / spread.value;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    scored.influence[row] =
        (error.value / spread.value * spread.influence[row] - error.influence[row]) / spread.value;
  }
  return scored;
}

// --- classes ---

bool is_right(const TargetPrediction& prediction, Labels labels, std::size_t row) {
  return static_cast<double>(prediction.best_class(row)) == labels[row];
}

ScoredRows accuracy(const TargetPrediction& prediction, Labels labels) {
  return mean_of(labels,
                 [&](std::size_t row) { return is_right(prediction, labels, row) ? 1.0 : 0.0; });
}

ScoredRows error_rate(const TargetPrediction& prediction, Labels labels) {
  return mean_of(labels,
                 [&](std::size_t row) { return is_right(prediction, labels, row) ? 0.0 : 1.0; });
}

ScoredRows log_loss(const TargetPrediction& prediction, Labels labels) {
  return mean_of(labels, [&](std::size_t row) {
    const auto label = static_cast<std::size_t>(labels[row]);
    const double probability = prediction.values[row * prediction.width() + label];
    return -std::log(std::max(probability, kLeastProbability));
  });
}

/// Sum over classes of squared differences; of two classes, of the second only.
ScoredRows brier(const TargetPrediction& prediction, Labels labels) {
  const std::size_t width = prediction.width();
  return mean_of(labels, [&](std::size_t row) {
    double sum = 0;
    for (std::size_t c = width == 2 ? 1 : 0; c < width; ++c) {
      const double truth = labels[row] == static_cast<double>(c) ? 1.0 : 0.0;
      sum += square(prediction.values[row * width + c] - truth);
    }
    return sum;
  });
}

/// Metrics of one class against the rest: of the second of two classes, otherwise averaged over the
/// classes for which the data decide them.
template <typename OfClass>
ScoredRows mean_over_classes(const TargetPrediction& prediction, Labels labels,
                             const OfClass& of_class) {
  if (prediction.width() == 2) return of_class(prediction, labels, 1);
  ScoredRows sum{.influence = std::vector<double>(labels.size(), 0.0)};
  double decided = 0;
  for (std::size_t c = 0; c < prediction.width(); ++c) {
    const ScoredRows scored = of_class(prediction, labels, c);
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
ScoredRows auroc_of_class(const TargetPrediction& prediction, Labels labels,
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
ScoredRows f1_of_class(const TargetPrediction& prediction, Labels labels,
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

ScoredRows auroc(const TargetPrediction& prediction, Labels labels) {
  return mean_over_classes(prediction, labels, auroc_of_class);
}

ScoredRows f1(const TargetPrediction& prediction, Labels labels) {
  return mean_over_classes(prediction, labels, f1_of_class);
}

// --- the list ---

double one(std::size_t) { return 1; }
double unbounded(std::size_t) { return kInfinity; }
double brier_most(std::size_t classes) { return classes == 2 ? 1 : 2; }

constexpr Task kNumbers = Task::kRegression, kClasses = Task::kClassification;

// In the order of KnownMetric: lower is better, then whether it is in the overview.
constexpr std::array kMetrics = {
    KnownMetric{Metric::kMse, "mse", "MSE", kNumbers, true, true, 0, unbounded, mean_squared_error},
    KnownMetric{Metric::kRmse, "rmse", "RMSE", kNumbers, true, true, 0, unbounded,
                root_mean_squared_error},
    KnownMetric{Metric::kMae, "mae", "MAE", kNumbers, true, true, 0, unbounded,
                mean_absolute_error},
    KnownMetric{Metric::kR2, "r2", "R2", kNumbers, false, true, -kInfinity, one, r2},
    KnownMetric{Metric::kLogLoss, "log_loss", "log loss", kClasses, true, true, 0, unbounded,
                log_loss},
    KnownMetric{Metric::kAccuracy, "accuracy", "accuracy", kClasses, false, false, 0, one,
                accuracy},
    KnownMetric{Metric::kErrorRate, "error_rate", "error rate", kClasses, true, true, 0, one,
                error_rate},
    KnownMetric{Metric::kAuroc, "auroc", "AUROC", kClasses, false, true, 0, one, auroc},
    KnownMetric{Metric::kF1, "f1", "F1", kClasses, false, false, 0, one, f1},
    KnownMetric{Metric::kBrier, "brier", "Brier score", kClasses, true, false, 0, brier_most,
                brier},
    KnownMetric{Metric::kCalibrationError, "calibration_error", "calibration error", kClasses, true,
                true, 0, one, calibration_error},
};
// An enumerator without a line in the list, or out of order, stops the compiler here.
static_assert(kMetrics.size() == enumerator_count<Metric>());
static_assert([] {
  for (std::size_t m = 0; m < kMetrics.size(); ++m) {
    if (kMetrics[m].metric != static_cast<Metric>(m)) return false;
  }
  return true;
}());

}  // namespace

std::span<const KnownMetric> known_metrics() { return kMetrics; }

const KnownMetric& known_metric(Metric metric) {
  const auto place = static_cast<std::size_t>(metric);
  if (place >= kMetrics.size()) throw ConfigError("There is no such metric.");
  return kMetrics[place];
}

}  // namespace knockout
