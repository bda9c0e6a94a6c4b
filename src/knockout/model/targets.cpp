// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/targets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/stop.h"
#include "knockout/base/wording.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/target_labels.h"
#include "knockout/schema/target_scale.h"

namespace knockout {
namespace {

constexpr std::size_t kClassesShown = 20;

std::vector<double> weights_of_classes(const Target& target, const std::vector<double>& labels,
                                       const ClassWeights& class_weights) {
  std::vector<double> weights(target.classes.size(), 1.0);
  if (std::holds_alternative<BalancedClasses>(class_weights)) {
    std::vector<double> counts(target.classes.size(), 0.0);
    for (const double label : labels) {
      if (!std::isnan(label)) counts[static_cast<std::size_t>(label)] += 1.0;
    }
    for (std::size_t c = 0; c < weights.size(); ++c)
      weights[c] = counts[c] > 0 ? 1.0 / counts[c] : 0.0;
  } else if (const auto* const said = std::get_if<std::map<std::string, double>>(&class_weights)) {
    const LabelIndex classes(target.classes);
    for (const auto& [name, weight] : *said) {
      const int index = classes.find(name);
      if (index >= 0) weights[static_cast<std::size_t>(index)] = weight;
    }
  }
  return weights;
}

/// Throws ConfigError for weights that make no sense and a class that no target has.
void check_class_weights(const std::vector<TargetCoding>& targets,
                         const ClassWeights& class_weights) {
  if (!weighs_classes(class_weights)) return;
  std::vector<std::string> known;
  for (const TargetCoding& coding : targets) {
    known.insert(known.end(), coding.target.classes.begin(), coding.target.classes.end());
  }
  if (known.empty()) {
    throw ConfigError(
        "`class_weights`: the target is a number, so there are no classes to weigh.\n"
        "  For regression, weigh the rows:  `weight_column`");
  }
  const auto* const said = std::get_if<std::map<std::string, double>>(&class_weights);
  if (said == nullptr) return;
  constexpr double kLargest = 1e9;
  const LabelIndex classes(known);
  for (const auto& [name, weight] : *said) {
    if (!(weight >= 0.0 && weight <= kLargest)) {
      throw ConfigError(fmt::format(
          "`class_weights`: the weight of \"{}\" is {}: expected a number from 0 to {:g}.", name,
          weight, kLargest));
    }
    if (classes.find(name) >= 0) continue;
    throw ConfigError(
        fmt::format("`class_weights`: \"{}\" is not a class of the target.{}\n  Its classes: {}.",
                    name, did_you_mean(name, known), short_list(known, kClassesShown)));
  }
}

Head head_of(const Target& target, int output_begin) {
  Head head{.loss = Loss::kSquaredError, .output_begin = output_begin, .output_width = 1};
  if (target.task == Task::kClassification) {
    const int classes = static_cast<int>(target.classes.size());
    head.loss = classes == 2 ? Loss::kLogistic : Loss::kSoftmax;
    head.output_width = classes == 2 ? 1 : classes;
  }
  return head;
}

}  // namespace

std::vector<TargetCoding> code_targets(const Table& table, const Schema& schema, bool raw_targets) {
  std::vector<TargetCoding> targets;
  int output = 0;
  for (const Target& target : schema.targets) {
    throw_if_stopped();
    TargetCoding coding{.target = target, .head = head_of(target, output)};
    if (target.task == Task::kRegression) {
      const TargetScale scale = target_scale(table, target);
      coding.mean = raw_targets ? 0.0 : scale.mean;
      coding.stddev = raw_targets ? 1.0 : scale.stddev;
    }
    output += coding.head.output_width;
    targets.push_back(std::move(coding));
  }
  return targets;
}

void label_examples(const Table& table, const Schema& schema,
                    const std::vector<TargetCoding>& targets, const ClassWeights& class_weights,
                    Examples& examples) {
  const std::size_t heads = targets.size(), rows = table.rows();
  examples.heads.clear();
  examples.labels.assign(rows * heads, 0.0f);
  examples.weights.assign(rows * heads, 0.0f);
  const Column* sample_weights =
      schema.weight_column.empty() ? nullptr : &table.at(schema.weight_column);
  check_class_weights(targets, class_weights);
  for (std::size_t h = 0; h < heads; ++h) {
    throw_if_stopped();
    const TargetCoding& coding = targets[h];
    examples.heads.push_back(coding.head);
    const std::vector<double> labels = labels_of(table, coding.target);
    const bool classes = coding.target.task == Task::kClassification;
    std::vector<double> class_weight;
    if (classes) class_weight = weights_of_classes(coding.target, labels, class_weights);
    std::vector<double> weights(rows, 0.0);
    for (std::size_t r = 0; r < rows; ++r) {
      if (std::isnan(labels[r])) continue;
      weights[r] = classes ? class_weight[static_cast<std::size_t>(labels[r])] : 1.0;
      examples.labels[r * heads + h] =
          static_cast<float>(classes ? labels[r] : (labels[r] - coding.mean) / coding.stddev);
    }
    double sum = 0.0, count = 0.0;
    for (std::size_t r = 0; r < rows; ++r) {
      if (std::isnan(labels[r])) continue;
      if (sample_weights != nullptr) weights[r] *= sample_weights->number(r);
      sum += weights[r];
      count += 1.0;
    }
    if (!(sum > 0.0)) {
      throw DataError(fmt::format(
          "{}: no row counts for the target \"{}\": its labels are missing or all weights are 0.",
          table.source(), coding.target.name));
    }
    for (std::size_t r = 0; r < rows; ++r)
      examples.weights[r * heads + h] = static_cast<float>(weights[r] * count / sum);
  }
}

void to_json(nlohmann::json& json, const ClassWeights& weights) {
  if (const auto* const said = std::get_if<std::map<std::string, double>>(&weights)) {
    json = *said;
  } else {
    json = std::holds_alternative<BalancedClasses>(weights) ? "balanced" : "equal";
  }
}

nlohmann::json targets_to_json(const std::vector<TargetCoding>& targets) {
  nlohmann::json json = nlohmann::json::array();
  for (const TargetCoding& coding : targets)
    json.push_back({{"mean", coding.mean}, {"stddev", coding.stddev}});
  return json;
}

std::vector<TargetCoding> targets_from_json(const nlohmann::json& json, const Schema& schema) {
  if (!json.is_array() || json.size() != schema.targets.size()) {
    throw ModelFileError("The model's \"targets\" do not match its schema.");
  }
  std::vector<TargetCoding> targets;
  int output = 0;
  for (std::size_t t = 0; t < schema.targets.size(); ++t) {
    const JsonFields fields(json[t],
                            fmt::format("the scaling of target \"{}\"", schema.targets[t].name),
                            {"mean", "stddev"});
    TargetCoding coding{.target = schema.targets[t],
                        .mean = fields.number("mean"),
                        .stddev = fields.number("stddev"),
                        .head = head_of(schema.targets[t], output)};
    if (!(coding.stddev > 0.0)) fields.fail("\"stddev\" is not above 0");
    output += coding.head.output_width;
    targets.push_back(std::move(coding));
  }
  return targets;
}

}  // namespace knockout
