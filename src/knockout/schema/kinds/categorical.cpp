// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/categorical.h"

#include <algorithm>

#include <fmt/format.h>

#include "knockout/schema/column_profile.h"
#include "knockout/schema/column_summary.h"
#include "knockout/schema/identifiers.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

constexpr std::size_t kManyCategories = 1000;

/// The categories in fewer than `rare_rows` rows. None if there are not two of them, which alone
/// make one level simpler than two, or not two others, without which the column would say nothing.
std::vector<int> rare_categories(std::span<const double> readings, std::size_t categories,
                                 int rare_rows) {
  std::vector<int> counts(categories);
  for (const double reading : readings) ++counts[static_cast<std::size_t>(reading)];
  std::vector<int> rare;
  for (std::size_t category = 0; category < categories; ++category) {
    if (counts[category] < rare_rows) rare.push_back(static_cast<int>(category));
  }
  return rare.size() < 2 || rare.size() + 2 > categories ? std::vector<int>() : rare;
}

}  // namespace

std::vector<KindRequest> CategoricalCodec::requests(const SchemaOptions& options) const {
  return requests_for(options.categorical);
}

bool CategoricalCodec::looks_like(const Column& column, const ColumnProfile& profile) const {
  return column.is_text() && !profile.all_dates;
}

std::optional<RowNames> CategoricalCodec::row_names(const Column& column,
                                                    const ColumnProfile& profile) const {
  return column.is_text() ? row_names_of_words(column, profile) : std::nullopt;
}

void CategoricalCodec::describe(const InferredColumn& found, Feature& feature,
                                std::vector<Note>& notes) const {
  feature.categories = distinct_labels(found.column);
  if (feature.categories.size() <= kManyCategories) return;
  notes.push_back(
      {"many_categories", feature.name,
       fmt::format("\"{}\" has {} categories. If it names rows rather than describes them:  {}",
                   feature.name, feature.categories.size(), field("ignore", feature.name))});
}

std::string CategoricalCodec::unknown_text(const std::string& value) const {
  return fmt::format("the category \"{}\" was never seen in training", value);
}

ScaledRange CategoricalCodec::fit(const Feature& feature, std::span<const double> readings,
                                  const CodingOptions& options, FeatureCoding& coding) const {
  const std::size_t categories = feature.categories.size();
  coding.rare = rare_categories(readings, categories, options.rare_rows);
  const bool embedded = coding.levels(categories) > options.max_one_hot;
  coding.code = embedded ? 0 : -1;  // the encoder numbers them
  if (options.missing_is_mean) coding.missing_category = mode_of(readings, categories);
  if (options.reason_is_mean) coding.reason_category = mode_of(readings, categories);
  return {};
}

int CategoricalCodec::value_inputs(const Feature& feature, const FeatureCoding& coding) const {
  return coding.code >= 0 ? 0 : coding.levels(feature.categories.size());
}

void CategoricalCodec::lay_out(const Feature& feature, bool structured,
                               FeatureCoding& coding) const {
  const bool has_flags = coding.code < 0 && !structured;
  coding.has_reason_flag = has_flags && coding.learned_reason;
  coding.has_said_flag = has_flags && coding.learned_said;
  coding.width = value_inputs(feature, coding) + (coding.has_reason_flag ? 1 : 0) +
                 (coding.has_said_flag ? 1 : 0);
}

void CategoricalCodec::write_gap(const Feature& feature, const FeatureCoding& coding, GapKind kind,
                                 std::span<float> inputs) const {
  if (inputs.empty()) return;
  const int category = coding.category_of(kind);
  if (category >= 0) {
    const int level = coding.level_of(category, feature.categories.size());
    inputs[static_cast<std::size_t>(level)] = 1.0F;
  } else if (kind == GapKind::kUnknownCause && coding.has_reason_flag) {
    inputs[static_cast<std::size_t>(value_inputs(feature, coding))] = 1.0F;
  } else if (kind == GapKind::kSaid && coding.has_said_flag) {
    inputs.back() = 1.0F;
  }
}

std::size_t CategoricalCodec::encode(const FeatureCoding& coding, const CellReader& cells,
                                     const FeatureBlock& out) const {
  const std::size_t categories = cells.feature().categories.size();
  const auto level_of = [&](double reading) {
    return coding.level_of(static_cast<int>(reading), categories);
  };
  const auto write_gap = [&](std::size_t row, CellState state) { out.write_gap(row, state); };
  if (out.codes != nullptr) {
    return cells.visit(
        out.begin, out.end, out.rules,
        [&](std::size_t row, double reading) {
          out.codes[row * out.code_stride] = level_of(reading);
        },
        write_gap);
  }
  return cells.visit(
      out.begin, out.end, out.rules,
      [&](std::size_t row, double reading) { out.values_of(row)[level_of(reading)] = 1.0F; },
      write_gap);
}

void CategoricalCodec::summarise(const Column& column, const Feature*,
                                 ColumnSummary& summary) const {
  const auto counts = count_labels(column);
  summary.distinct = counts.size();
  for (const auto& [label, rows] : counts) summary.counts.push_back({label, rows});
  std::stable_sort(summary.counts.begin(), summary.counts.end(),
                   [](const auto& a, const auto& b) { return a.rows > b.rows; });
  summary.counts.resize(std::min(summary.distinct, ColumnSummary::kShownCategories));
}

}  // namespace knockout
