// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <nlohmann/json.hpp>

#include "knockout/eval/evaluate.h"

namespace knockout {

using Json = nlohmann::ordered_json;

namespace {

/// One object per target: its name, then an estimate under the name of each metric.
Json scores_json(const Evaluation& evaluation, const std::vector<TargetScores>& scores) {
  Json targets = Json::array();
  for (std::size_t t = 0; t < scores.size(); ++t) {
    Json metrics = Json::object();
    for (std::size_t m = 0; m < scores[t].metrics.size(); ++m) {
      metrics[std::string(to_string(scores[t].metrics[m]))] = to_json(scores[t].estimates[m]);
    }
    targets.push_back({{"target", evaluation.targets[t].name}, {"metrics", metrics}});
  }
  return targets;
}

Json level_json(const Evaluation& evaluation, const LevelScores& level) {
  Json targets = scores_json(evaluation, level.targets);
  for (std::size_t t = 0; t < level.calibration.size(); ++t) {
    if (evaluation.targets[t].task != Task::kClassification) continue;
    Json bins = Json::array();
    for (const CalibrationBin& bin : level.calibration[t]) {
      bins.push_back({{"mean_probability", bin.mean_probability},
                      {"frequency", bin.frequency},
                      {"count", bin.count}});
    }
    targets[t]["calibration"] = bins;
  }
  return {{"missing", level.missing}, {"patterns", level.patterns}, {"targets", targets}};
}

}  // namespace

Json number_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json to_json(const Estimate& estimate) {
  return {{"value", number_or_null(estimate.value)},
          {"low", number_or_null(estimate.low)},
          {"high", number_or_null(estimate.high)},
          {"standard_error", number_or_null(estimate.standard_error)}};
}

Json to_json(const Evaluation& evaluation) {
  Json targets = Json::array(), levels = Json::array(), costs = Json::array(),
       patterns = Json::array();
  for (const Target& target : evaluation.targets) {
    targets.push_back({{"name", target.name}, {"task", to_string(target.task)}});
    if (target.task == Task::kClassification) targets.back()["classes"] = target.classes;
  }
  for (const LevelScores& level : evaluation.levels) {
    levels.push_back(level_json(evaluation, level));
  }
  for (const InputCost& cost : evaluation.costs) {
    costs.push_back({{"unit", cost.unit}, {"targets", scores_json(evaluation, cost.differences)}});
  }
  for (const PatternScores& scored : evaluation.patterns) {
    Json pattern = {{"name", scored.pattern.name},
                    {"missing", scored.pattern.missing},
                    {"columns", scored.pattern.pattern.columns},
                    {"targets", scores_json(evaluation, scored.targets)}};
    if (scored.pattern.rows > 0) pattern["rows"] = scored.pattern.rows;
    patterns.push_back(std::move(pattern));
  }
  return {{"rows", evaluation.rows},
          {"targets", targets},
          {"levels", levels},
          {"costs", costs},
          {"patterns", patterns},
          {"notes", evaluation.notes},
          {"seconds", evaluation.seconds}};
}

}  // namespace knockout
