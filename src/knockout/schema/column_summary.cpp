// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_summary.h"

#include <cmath>
#include <string_view>

#include "knockout/base/seeded_hash.h"
#include "knockout/schema/column_profile.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

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
  HashMap<std::string_view, std::size_t> features;
  HashMap<std::string_view, std::string_view> reasons;  ///< Of columns set aside.
};

/// Role and kind, from wherever the schema mentions the column.
void find_role(const SchemaIndex& index, const Column& column, ColumnSummary& summary) {
  using Role = ColumnSummary::Role;
  const Schema& schema = index.schema;
  summary.kind = kind_of_plain(column);
  if (const auto feature = index.features.find(column.name()); feature != index.features.end()) {
    summary.feature = feature->second;
    summary.kind = schema.features[feature->second].kind;
    return;
  }
  for (const Target& target : schema.targets) {
    if (target.name != column.name()) continue;
    summary.role = Role::kTarget;
    summary.kind = kind_of_target(target);
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
      summary.missing_for_a_reason += is_said(state);
      summary.below_limit += state == CellState::kBelowLimit;
      summary.above_limit += state == CellState::kAboveLimit;
    }
    const Feature* const feature =
        summary.feature ? &inferred.schema.features[*summary.feature] : nullptr;
    codec_of(summary.kind).summarise(column, feature, summary);
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
