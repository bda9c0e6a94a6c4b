// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/ordered.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/schema/column_profile.h"
#include "knockout/schema/column_requests.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

void check_levels(const ColumnLevels& said) {
  const auto refuse = [&](std::string_view what) {
    const std::string text = fmt::format("{}={}", said.column, fmt::join(said.levels, ","));
    throw ConfigError(fmt::format("{}: {}.", field("ordered", text), what));
  };
  if (said.levels.size() < 2) refuse("an order needs at least two levels, the lowest first");
  const LabelIndex first_of(said.levels);
  for (std::size_t i = 0; i < said.levels.size(); ++i) {
    const std::string& level = said.levels[i];
    if (level.empty()) refuse("a level has no name");
    const std::optional<double> number = parse_number(level);  // 1 and 1.0 are one level
    const int first = number ? first_of.find(*number) : first_of.find(level);
    if (first < static_cast<int>(i)) {
      refuse(fmt::format("the level \"{}\" is listed twice", level));
    }
  }
}

/// Rows per level.
std::vector<std::size_t> count_levels(const Column& column, const Feature& feature) {
  const LabelIndex labels(feature.categories);
  const CellReader cells(feature, &column, &labels);
  std::vector<std::size_t> counts(feature.categories.size());
  cells.visit(
      0, column.size(), {.unseen_is_missing = true},
      [&](std::size_t, double level) { ++counts[static_cast<std::size_t>(level)]; },
      [](std::size_t, CellState) {});
  return counts;
}

/// The thresholds that a level reaches.
void write_level(std::size_t level, float* thresholds, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) thresholds[j] = level > j ? 1.0F : 0.0F;
}

}  // namespace

std::vector<KindRequest> OrderedCodec::requests(const SchemaOptions& options) const {
  std::vector<KindRequest> requests;
  for (const ColumnLevels& said : options.ordered) {
    check_levels(said);
    requests.push_back({.column = said.column, .levels = said.levels});
  }
  return requests;
}

bool OrderedCodec::looks_like(const Column&, const ColumnProfile&) const { return false; }

void OrderedCodec::describe(const InferredColumn& found, Feature& feature,
                            std::vector<Note>& notes) const {
  feature.categories = found.request.levels;
  const LabelIndex labels(feature.categories);
  const CellReader cells(feature, &found.column, &labels);
  const auto ignore = [](std::size_t, auto) {};
  const std::size_t bad = cells.visit(0, found.column.size(), {}, ignore, ignore);
  if (bad < found.column.size()) {
    const std::string value =
        found.column.is_text() ? found.column.word(bad) : label_of_number(found.column.number(bad));
    throw DataError(
        fmt::format("{}: \"{}\" is not one of the levels of \"{}\".{}\n"
                    "  Known, lowest first: {}.\n"
                    "  Add it to `ordered`, correct the cell or, if \"{}\" means missing:  {}",
                    found.at(bad), value, feature.name, did_you_mean(value, feature.categories),
                    fmt::join(feature.categories, ", "), value, field("missing_words", value)));
  }
  const std::vector<std::size_t> counts = count_levels(found.column, feature);
  for (std::size_t level = 0; level < counts.size(); ++level) {
    if (counts[level] > 0) continue;
    notes.push_back({"unused_level", feature.name,
                     fmt::format("No row of \"{}\" has the level \"{}\": what it means is learned "
                                 "from its neighbours.",
                                 feature.name, feature.categories[level])});
  }
}

std::string OrderedCodec::unknown_text(const std::string& value) const {
  return fmt::format("\"{}\" is not one of the levels", value);
}

ScaledRange OrderedCodec::fit(const Feature& feature, std::span<const double> readings,
                              const CodingOptions& options, FeatureCoding& coding) const {
  coding.support = support(feature);
  coding.gaps_inline = options.gaps_inline;
  coding.clip_high = coding.bend_high = 1.0;
  const std::size_t levels = feature.categories.size();
  if (options.missing_is_mean) coding.missing_category = mode_of(readings, levels);
  if (options.reason_is_mean) coding.reason_category = mode_of(readings, levels);
  return {.low = 0.0, .high = 1.0};
}

Support OrderedCodec::support(const Feature&) const { return Support::kInterval; }

int OrderedCodec::value_inputs(const Feature& feature, const FeatureCoding&) const {
  return static_cast<int>(feature.categories.size()) - 1;
}

void OrderedCodec::write_gap(const Feature& feature, const FeatureCoding& coding, GapKind kind,
                             std::span<float> inputs) const {
  const auto thresholds = static_cast<std::size_t>(value_inputs(feature, coding));
  const int level = coding.category_of(kind);
  if (level >= 0) {
    write_level(static_cast<std::size_t>(level), inputs.data(), thresholds);
    return;
  }
  LabelCodec::write_gap(feature, coding, kind, inputs);
  if (coding.gaps_inline) std::fill_n(inputs.begin(), thresholds, inputs[0]);
}

std::size_t OrderedCodec::encode(const FeatureCoding& coding, const CellReader& cells,
                                 const FeatureBlock& out) const {
  const auto thresholds = static_cast<std::size_t>(value_inputs(cells.feature(), coding));
  return cells.visit(
      out.begin, out.end, out.rules,
      [&](std::size_t row, double level) {
        write_level(static_cast<std::size_t>(level), out.values_of(row), thresholds);
      },
      [&](std::size_t row, CellState state) { out.write_gap(row, state); });
}

std::pair<double, double> OrderedCodec::fillable_range(const Feature& feature, double,
                                                       double) const {
  return {0.0, static_cast<double>(feature.categories.size()) - 1.0};
}

void OrderedCodec::summarise(const Column& column, const Feature* feature,
                             ColumnSummary& summary) const {
  const std::vector<std::size_t> counts = count_levels(column, *feature);
  summary.counts_name = "levels";
  summary.counts_in_line = counts.size();
  for (std::size_t level = 0; level < counts.size(); ++level) {
    summary.counts.push_back({feature->categories[level], counts[level]});
    summary.distinct += counts[level] > 0;
  }
}

std::string_view OrderedCodec::scaling_text(const FeatureCoding&) const { return "thresholds"; }

}  // namespace knockout
