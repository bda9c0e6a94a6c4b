// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/generative/masked_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/schema/kinds/kinds.h"
#include "knockout/schema/target_labels.h"
#include "knockout/schema/target_scale.h"

namespace knockout::nn {
namespace {

/// The columns without groups, bounds and reasons: each is encoded alone, a number as its Z-score.
Schema plain_schema(Schema schema) {
  for (Feature& feature : schema.features) {
    feature.group.clear();
    feature.lower.reset();
    feature.upper.reset();
    if (feature.training_gaps == GapMeaning::kForAReason) {
      feature.training_gaps = GapMeaning::kAtRandom;
    }
  }
  return schema;
}

}  // namespace

MaskedInputs::MaskedInputs(const Table& table, const Schema& schema)
    : encoder_(Encoder::fit(table, plain_schema(schema),
                            {.max_one_hot = std::numeric_limits<int>::max(), .rare_rows = 0})) {
  places_.resize(schema.features.size());
  std::size_t next = 0;
  for (const bool categories : {false, true}) {
    for (std::size_t f = 0; f < places_.size(); ++f) {
      const Feature& feature = schema.features[f];
      const ColumnCodec& codec = codec_of(feature);
      if (codec.is_choice() != categories) continue;
      const FeatureCoding& coding = encoder_.coding()[f];
      places_[f] = {.encoded_begin = static_cast<std::size_t>(coding.begin),
                    .encoded_width = static_cast<std::size_t>(coding.width),
                    .begin = next,
                    .width = static_cast<std::size_t>(codec.value_inputs(feature, coding)),
                    .is_category = categories};
      if (categories) {
        layout_.categories.push_back(
            {static_cast<std::int64_t>(next), static_cast<std::int64_t>(places_[f].width)});
      }
      next += places_[f].width;
    }
    if (!categories) layout_.numbers = static_cast<std::int64_t>(next);
  }

  std::vector<std::string> unit_names;
  std::vector<bool> never_missing;
  std::map<std::string, std::size_t> unit_of_group;
  unit_of_input_.resize(next);
  for (std::size_t f = 0; f < places_.size(); ++f) {
    const Feature& feature = schema.features[f];
    std::size_t unit = unit_names.size();
    if (!feature.group.empty()) unit = unit_of_group.emplace(feature.group, unit).first->second;
    if (unit == unit_names.size()) {
      unit_names.push_back(feature.group.empty() ? feature.name : feature.group);
      never_missing.push_back(false);
    }
    if (feature.never_missing) never_missing[unit] = true;
    std::fill_n(unit_of_input_.begin() + static_cast<std::ptrdiff_t>(places_[f].begin),
                places_[f].width, static_cast<std::int64_t>(unit));
  }
  plan_ = make_plan(unit_names, never_missing, {.rate = PaperRate{}});
}

MaskedRows MaskedInputs::encode(const Table& table, int threads) const {
  const EncodedRows encoded = encoder_.encode(table, {}, threads);
  const auto width = static_cast<std::size_t>(layout_.width());
  MaskedRows plain{encoded.rows, std::vector<float>(encoded.rows * width, 0.0F),
                   std::vector<float>(encoded.rows * width, 0.0F)};
  for (std::size_t row = 0; row < encoded.rows; ++row) {
    const float* const from = encoded.values.data() + row * static_cast<std::size_t>(encoded.width);
    for (const Place& place : places_) {
      const float* const value = from + place.encoded_begin;
      const float* const gap = value + place.width;
      const auto is_set = [](float input) { return input != 0.0F; };
      // A category is there when one of its indicators is; a number unless a gap's input says not.
      const bool observed = place.is_category
                                ? std::any_of(value, gap, is_set)
                                : std::none_of(gap, value + place.encoded_width, is_set);
      if (!observed) continue;
      const std::size_t to = row * width + place.begin;
      std::copy(value, gap, plain.values.begin() + static_cast<std::ptrdiff_t>(to));
      std::fill_n(plain.observed.begin() + static_cast<std::ptrdiff_t>(to), place.width, 1.0F);
    }
  }
  return plain;
}

std::vector<TargetOutputs> outputs_for(const Table& table, const Schema& schema) {
  std::vector<TargetOutputs> targets;
  std::int64_t next = 0;
  for (const Target& target : schema.targets) {
    TargetOutputs outputs{.target = target, .begin = next};
    if (target.task == Task::kClassification) {
      outputs.width = static_cast<std::int64_t>(target.classes.size());
    } else {
      const TargetScale scale = target_scale(table, target);
      outputs.mean = scale.mean;
      outputs.stddev = scale.stddev;
    }
    next += outputs.width;
    targets.push_back(std::move(outputs));
  }
  return targets;
}

TargetLabels labels_of(const Table& table, const Schema& schema,
                       const std::vector<TargetOutputs>& targets) {
  const std::size_t rows = table.rows();
  TargetLabels labels{std::vector<float>(rows * targets.size(), 0.0F),
                      std::vector<float>(rows * targets.size(), 0.0F)};
  const Column* const row_weights =
      schema.weight_column.empty() ? nullptr : &table.at(schema.weight_column);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const TargetOutputs& outputs = targets[t];
    const std::vector<double> known = knockout::labels_of(table, outputs.target);
    double sum = 0, count = 0;
    const auto weight_of = [&](std::size_t row) {
      return row_weights == nullptr ? 1.0 : row_weights->number(row);
    };
    for (std::size_t row = 0; row < rows; ++row) {
      if (std::isnan(known[row])) continue;
      sum += weight_of(row);
      count += 1;
    }
    if (!(sum > 0)) {
      throw DataError(fmt::format(
          "{}: no row counts for the target \"{}\": its labels are missing or all weights are 0.",
          table.source(), outputs.target.name));
    }
    for (std::size_t row = 0; row < rows; ++row) {
      if (std::isnan(known[row])) continue;
      const std::size_t at = row * targets.size() + t;
      labels.weights[at] = static_cast<float>(weight_of(row) * count / sum);
      const bool is_class = outputs.target.task == Task::kClassification;
      labels.values[at] =
          static_cast<float>(is_class ? known[row] : (known[row] - outputs.mean) / outputs.stddev);
    }
  }
  return labels;
}

}  // namespace knockout::nn
