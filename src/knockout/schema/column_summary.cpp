// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_summary.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "knockout/schema/dates.h"
#include "knockout/schema/labels.h"

namespace knockout {
namespace {

/// How often each label occurs, in the order of the labels.
std::map<std::string, std::size_t> count_labels(const Column& column) {
  std::map<std::string, std::size_t> counts;
  if (column.is_text()) {
    std::vector<std::size_t> by_word(column.words().size(), 0);
    for (std::size_t row = 0; row < column.size(); ++row) {
      if (column.observed(row)) ++by_word[static_cast<std::size_t>(column.codes()[row])];
    }
    for (std::size_t word = 0; word < by_word.size(); ++word) {
      if (by_word[word] > 0) counts[column.words()[word]] = by_word[word];
    }
    return counts;
  }
  std::map<double, std::size_t> by_number;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.observed(row)) ++by_number[column.number(row)];
  }
  for (const auto& [number, rows] : by_number) counts[label_of_number(number)] = rows;
  return counts;
}

void summarise_categories(const Column& column, ColumnSummary& summary) {
  const auto counts = count_labels(column);
  summary.distinct = counts.size();
  for (const auto& [label, rows] : counts) summary.most_frequent.push_back({label, rows});
  std::stable_sort(summary.most_frequent.begin(), summary.most_frequent.end(),
                   [](const auto& a, const auto& b) { return a.rows > b.rows; });
  summary.most_frequent.resize(std::min(summary.distinct, ColumnSummary::kShownCategories));
}

void summarise_numbers(const Column& column, ColumnSummary& summary) {
  double sum = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const auto number =
        column.is_text() ? parse_number(column.word(row)) : std::optional(column.number(row));
    if (!number) continue;  // a column that was set aside may hold words
    summary.low = std::min(summary.low.value_or(*number), *number);
    summary.high = std::max(summary.high.value_or(*number), *number);
    sum += *number / static_cast<double>(summary.observed);
  }
  if (summary.low) summary.mean = sum;
}

void summarise_dates(const Column& column, ColumnSummary& summary) {
  std::map<double, std::string> in_order;
  for (const std::string& word : column.words()) {
    if (const auto days = parse_date(word)) in_order.emplace(*days, word);
  }
  if (in_order.empty()) return;
  summary.first_date = in_order.begin()->second;
  summary.last_date = in_order.rbegin()->second;
}

/// What the schema says of each column, by name.
struct SchemaIndex {
  explicit SchemaIndex(const InferredSchema& inferred) : schema(inferred.schema) {
    for (std::size_t i = 0; i < schema.features.size(); ++i) {
      features.emplace(schema.features[i].name, i);
    }
    for (const UnusedColumn& aside : inferred.set_aside) {
      reasons.emplace(aside.column, aside.reason);
    }
  }

  const Schema& schema;
  std::unordered_map<std::string_view, std::size_t> features;
  std::unordered_map<std::string_view, std::string_view> reasons;  ///< Of columns set aside.
};

/// Role and kind, from wherever the schema mentions the column.
void find_role(const SchemaIndex& index, const Column& column, ColumnSummary& summary) {
  using Role = ColumnSummary::Role;
  const Schema& schema = index.schema;
  summary.kind = column.is_text() ? ColumnKind::kCategorical : ColumnKind::kContinuous;
  if (const auto feature = index.features.find(column.name()); feature != index.features.end()) {
    summary.feature = feature->second;
    summary.kind = schema.features[feature->second].kind;
    return;
  }
  for (const Target& target : schema.targets) {
    if (target.name != column.name()) continue;
    summary.role = Role::kTarget;
    summary.kind =
        target.task == Task::kClassification ? ColumnKind::kCategorical : ColumnKind::kContinuous;
    return;
  }
  if (schema.weight_column == column.name()) {
    summary.role = Role::kWeight;
    return;
  }
  summary.role = Role::kSetAside;
  const auto reason = index.reasons.find(column.name());
  if (reason != index.reasons.end()) summary.set_aside_reason = reason->second;
}

}  // namespace

std::vector<ColumnSummary> summarise_columns(const Table& table, const InferredSchema& inferred) {
  const SchemaIndex index(inferred);
  std::vector<ColumnSummary> summaries;
  for (const Column& column : table.columns()) {
    ColumnSummary& summary = summaries.emplace_back();
    summary.name = column.name();
    find_role(index, column, summary);
    for (std::size_t row = 0; row < column.size(); ++row) {
      const CellState state = column.state(row);
      summary.observed += state == CellState::kObserved;
      summary.missing += state != CellState::kObserved;
      summary.missing_for_a_reason += state == CellState::kMissingForAReason;
    }
    switch (summary.kind) {
      case ColumnKind::kCategorical:
        summarise_categories(column, summary);
        break;
      case ColumnKind::kContinuous:
        summarise_numbers(column, summary);
        break;
      case ColumnKind::kDate:
        summarise_dates(column, summary);
        break;
    }
  }
  return summaries;
}

double base_rate_log_loss(const Column& column, const Target& target) {
  if (target.task == Task::kRegression) return 0.0;
  double labels = 0, loss = 0;
  const auto counts = count_labels(column);
  for (const auto& [label, rows] : counts) labels += static_cast<double>(rows);
  for (const auto& [label, rows] : counts) {
    const double share = static_cast<double>(rows) / labels;
    loss -= share * std::log(share);
  }
  return loss;
}

std::string_view to_string(ColumnSummary::Role role) {
  switch (role) {
    case ColumnSummary::Role::kInput:
      return "input";
    case ColumnSummary::Role::kTarget:
      return "target";
    case ColumnSummary::Role::kWeight:
      return "weight";
    case ColumnSummary::Role::kSetAside:
      break;
  }
  return "set aside";
}

}  // namespace knockout
