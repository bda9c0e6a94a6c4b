// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/predictor.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/seeded_hash.h"
#include "knockout/base/wording.h"
#include "knockout/schema/labels.h"

namespace knockout {
namespace {

Column label_column(std::string name, const TargetPrediction& prediction) {
  std::vector<std::int32_t> codes(prediction.rows());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    codes[row] = static_cast<std::int32_t>(prediction.best_class(row));
  }
  return Column::coded(std::move(name), std::move(codes), prediction.target.classes);
}

void require_classes(const TargetPrediction& prediction, const char* what) {
  if (prediction.target.task == Task::kClassification) return;
  throw ConfigError(
      fmt::format("\"{}\" is a number, so it has no {}.", prediction.target.name, what));
}

void require_row(const TargetPrediction& prediction, std::size_t row) {
  if (row < prediction.rows()) return;
  throw ConfigError(fmt::format("there is no row {}: the prediction has {} rows, from 0 on.", row,
                                prediction.rows()));
}

}  // namespace

std::size_t TargetPrediction::best_class(std::size_t row) const {
  require_classes(*this, "most probable class");
  require_row(*this, row);
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width());
  return std::max_element(first, first + static_cast<std::ptrdiff_t>(width())) - first;
}

double TargetPrediction::probability(std::size_t row, std::string_view label) const {
  require_classes(*this, "probabilities");
  require_row(*this, row);
  const int position = find_label(target.classes, label);
  if (position < 0) {
    throw ConfigError(fmt::format("\"{}\" is not a class of \"{}\".{}\n  Its classes: {}.", label,
                                  target.name, did_you_mean(label, target.classes),
                                  short_list(target.classes, 10)));
  }
  return values[row * width() + static_cast<std::size_t>(position)];
}

double TargetPrediction::number(std::size_t row) const {
  if (target.task != Task::kRegression) {
    throw ConfigError(
        fmt::format("\"{}\" has classes, so no number is predicted.\n"
                    "  Ask for a label or a probability.",
                    target.name));
  }
  require_row(*this, row);
  return values[row];
}

std::vector<std::string> Predictor::notes_on(const Table& table) const {
  return notes_on_columns(schema(), table.names(), table.source());
}

namespace {

/// What to do if a file with so many columns has no header: "" when another cause is more likely.
std::string header_hint(const Schema& schema, std::size_t columns) {
  const std::vector<ColumnReading>& known = schema.reading.columns();
  const std::size_t inputs = schema.features.size();
  const bool fits = columns == inputs || columns == inputs + schema.targets.size() ||
                    columns == known.size() || columns + schema.targets.size() == known.size();
  if (!fits) return "";
  const bool numbered = schema.features.front().name.starts_with("column_");
  return numbered ? "\n  If its first line is a row and no header:  `has_header = no`"
                  : "\n  If its first line is a row (`has_header = no`), put these names above it.";
}

}  // namespace

std::vector<std::string> notes_on_columns(const Schema& schema,
                                          const std::vector<std::string>& columns,
                                          const std::string& source) {
  const std::vector<std::string> inputs = schema.feature_names();
  const HashSet<std::string_view> given(columns.begin(), columns.end());
  const HashSet<std::string_view> wanted(inputs.begin(), inputs.end());
  std::vector<std::string> absent, others;
  for (const std::string& name : inputs) {
    if (!given.contains(name)) absent.push_back(name);
  }
  if (absent.empty()) return {};
  for (const std::string& name : columns) {
    if (!wanted.contains(name)) others.push_back(name);
  }
  const std::string table = source.empty() ? "The table" : source;
  std::vector<std::string> notes;
  std::size_t suggestions = 0;
  if (absent.size() == inputs.size()) {
    notes.push_back(fmt::format(
        "{} has NONE of the {} columns that the model knows: every row gets the same "
        "answer.\n  The model's columns: {}.{}",
        table, absent.size(), short_list(absent, 10), header_hint(schema, given.size())));
    return notes;  // none of its names is a slip of the keyboard
  } else {
    notes.push_back(
        fmt::format("{} lacks {} of the {} columns that the model knows; {} as missing: {}.", table,
                    absent.size(), inputs.size(),
                    agreeing(absent.size(), "it counts", "they count"), short_list(absent, 10)));
  }
  // One name takes up to a tenth of a second where there are many.
  constexpr std::size_t kNamesLookedAt = 30, kSuggestions = 10;
  for (std::size_t i = 0; i < std::min(kNamesLookedAt, absent.size()); ++i) {
    const std::string& name = absent[i];
    const std::string near = did_you_mean(name, others);
    if (near.empty()) continue;
    if (suggestions++ == kSuggestions) break;
    notes.push_back(
        fmt::format("{} has another column where the model knows \"{}\".{}", table, name, near));
  }
  return notes;
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
  HashMap<std::string_view, const Feature*> feature_of;
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
  const HashSet<std::string_view> hidden(columns.begin(), columns.end());
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
