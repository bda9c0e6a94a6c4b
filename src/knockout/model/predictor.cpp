// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/predictor.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

Column label_column(std::string name, const TargetPrediction& prediction) {
  std::vector<std::int32_t> codes(prediction.rows());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    codes[row] = static_cast<std::int32_t>(prediction.best_class(row));
  }
  return Column::coded(std::move(name), std::move(codes), prediction.target.classes);
}

}  // namespace

std::size_t TargetPrediction::best_class(std::size_t row) const {
  if (target.task != Task::kClassification) {
    throw ConfigError(
        fmt::format("\"{}\" is a number, so it has no most probable class.", target.name));
  }
  if (row >= rows()) {
    throw ConfigError(
        fmt::format("there is no row {}: the prediction has {} rows, from 0 on.", row, rows()));
  }
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width());
  return std::max_element(first, first + static_cast<std::ptrdiff_t>(width())) - first;
}

void Predictor::predict_patterns(const Table& table, std::span<const MissingPattern> patterns,
                                 const PatternReceiver& receive, const GapOverrides& overrides,
                                 int threads) const {
  check_patterns(patterns);
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    receive(p, predict(hide_columns(table, patterns[p].columns), overrides, threads));
  }
}

void Predictor::check_patterns(std::span<const MissingPattern> patterns) const {
  std::unordered_map<std::string_view, const Feature*> feature_of;
  for (const Feature& feature : schema().features) feature_of.emplace(feature.name, &feature);
  for (const MissingPattern& pattern : patterns) {
    for (const std::string& column : pattern.columns) {
      const auto found = feature_of.find(column);
      if (found == feature_of.end()) {
        throw ConfigError(fmt::format("cannot hide \"{}\": the model has no such input.{}", column,
                                      did_you_mean(column, schema().feature_names())));
      }
      if (found->second->never_missing) {
        throw ConfigError(
            fmt::format("cannot hide \"{}\": it was declared never missing when the model was "
                        "fitted.",
                        column));
      }
    }
  }
}

Table hide_columns(const Table& table, std::span<const std::string> columns) {
  const std::unordered_set<std::string_view> hidden(columns.begin(), columns.end());
  Table copy = table;
  std::vector<Column> copied = copy.take_columns();
  for (Column& column : copied) {
    if (!hidden.contains(column.name())) continue;
    for (std::size_t row = 0; row < column.size(); ++row) column.set_missing(row);
  }
  copy.replace_columns(std::move(copied));
  return copy;
}

Table predictions_to_table(const std::vector<TargetPrediction>& predictions) {
  std::vector<Column> columns;
  for (const TargetPrediction& prediction : predictions) {
    const Target& target = prediction.target;
    const std::string suffix = predictions.size() > 1 ? "_" + target.name : "";
    if (target.task == Task::kRegression) {
      columns.push_back(Column::numbers("prediction" + suffix, prediction.values));
      continue;
    }
    columns.push_back(label_column("prediction" + suffix, prediction));
    const std::size_t classes = prediction.width();
    for (std::size_t c = 0; c < classes; ++c) {
      std::vector<double> probabilities;
      for (std::size_t row = 0; row < prediction.rows(); ++row) {
        probabilities.push_back(prediction.values[row * classes + c]);
      }
      columns.push_back(Column::numbers("probability" + suffix + "_" + target.classes[c],
                                        std::move(probabilities)));
    }
  }
  return Table(std::move(columns));
}

}  // namespace knockout
