// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/data/table.h"
#include "knockout/model/predictor.h"
#include "knockout/schema/target_labels.h"

namespace knockout {

/// How predictions are scored. metric_list.cpp says what each is, in this order.
enum class Metric {
  kMse,
  kRmse,  ///< Its square root: in the units of the target.
  kMae,
  kR2,
  kLogLoss,
  kAccuracy,
  kErrorRate,
  kAuroc,  ///< Two classes: of the second; more: mean over classes, one against the rest.
  kF1,     ///< Two classes: of the second; more: mean over classes.
  kBrier,  ///< Sum over classes of squared differences (two classes: of the second only).
  /// Expected calibration error, 15 equal bins of the top class's probability (two classes: of the
  /// second class's).
  kCalibrationError,
};

std::string_view to_string(Metric metric);  ///< "mse", "log_loss", ...: part of `--json`.
std::string_view label_of(Metric metric);   ///< "MSE", "log loss", ...
bool lower_is_better(Metric metric);
/// The metrics of a task, the one that `compare` ranks by first (MSE; log loss).
std::vector<Metric> metrics_of(Task task);
/// Those among them that tell most, for where there is little room.
std::vector<Metric> overview_metrics(Task task);

/// An estimate with a 95 % confidence interval. Where the data decide nothing (no rows, AUROC with
/// a single class), all are NaN; of a single row only the value is known.
struct Estimate {
  double value = 0;
  double low = 0, high = 0;
  double standard_error = 0;
};
/// Where the data decide nothing.
inline constexpr Estimate kNoEstimate = [] {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return Estimate{kNan, kNan, kNan, kNan};
}();

/// JSON has no word for "not decided by the data" but null.
nlohmann::ordered_json number_or_null(double number);
nlohmann::ordered_json to_json(const Estimate& estimate);

/// A metric's value on some rows, and how much each row moves it: the influence function, of mean
/// zero, whose variance over the rows gives the standard error. Influences of the same rows may be
/// added and subtracted: so come the intervals of means over patterns and of paired differences.
struct ScoredRows {
  double value = 0;
  std::vector<double> influence;  ///< One per row; 0 where the label is missing.
  std::size_t labelled = 0;
  /// What the metric can be at all; an interval ends there.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

/// Scores predictions. Throws ConfigError unless the metric is one of the target's task and there
/// is one label per row: a number, or the index of a class; NaN = not labelled.
ScoredRows score(Metric metric, const TargetPrediction& prediction, std::span<const double> labels);

/// Value and interval of one score.
Estimate estimate(const ScoredRows& scored);
/// a - b on the same rows.
Estimate difference_estimate(const ScoredRows& a, const ScoredRows& b);

/// The mean of several scores of the same rows, which are not kept.
class MeanScore {
 public:
  void add(const ScoredRows& scored);
  Estimate estimate() const;

 private:
  ScoredRows sum_;
  std::size_t count_ = 0;
};

/// One bin of a reliability diagram.
struct CalibrationBin {
  double mean_probability = 0;  ///< Mean of what was predicted.
  double frequency = 0;         ///< How often it came true.
  std::size_t count = 0;
};
/// The bins of kCalibrationError that hold any row.
std::vector<CalibrationBin> calibration_bins(const TargetPrediction& prediction,
                                             std::span<const double> labels);

/// The same over several predictions, which are not kept.
class CalibrationSums {
 public:
  static constexpr std::size_t kBins = 15;
  void add(const TargetPrediction& prediction, std::span<const double> labels);
  std::vector<CalibrationBin> bins() const;

 private:
  struct Sums {
    double probability = 0, true_count = 0;
    std::size_t count = 0;
  };
  std::array<Sums, kBins> sums_ = {};
};

/// Loss on a scale on which 1 means "knows only the base rate": RMSE over the deviation of the
/// labels, or log loss over their entropy, which count as known. At most 10, with no interval, so
/// that one explosion does not decide a mean. Labels that are all the same make it 0 or 10; without
/// labels it is NaN.
ScoredRows score_relative_loss(const TargetPrediction& prediction, std::span<const double> labels);

}  // namespace knockout
