// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/training_facts.h"

#include <nlohmann/json.hpp>

#include "knockout/schema/column_summary.h"

namespace knockout {
namespace {

nlohmann::json seen_to_json(const ColumnSummary& column) {
  nlohmann::json json = {{"name", column.name},
                         {"role", to_string(column.role)},
                         {"observed", column.observed},
                         {"missing", column.missing},
                         {"missing_for_a_reason", column.missing_for_a_reason}};
  if (column.below_limit > 0) json["below_limit"] = column.below_limit;
  if (column.above_limit > 0) json["above_limit"] = column.above_limit;
  if (column.low) {
    json["low"] = *column.low;
    json["high"] = *column.high;
    json["mean"] = *column.mean;
  }
  if (!column.first_date.empty()) {
    json["first"] = column.first_date;
    json["last"] = column.last_date;
  }
  if (column.distinct > 0) json["distinct"] = column.distinct;
  for (const ColumnSummary::Count& count : column.counts) {
    json["values"].push_back({{"value", count.label}, {"rows", count.rows}});
  }
  return json;
}

}  // namespace

nlohmann::json seen_columns_to_json(const Table& table, const InferredSchema& inferred) {
  nlohmann::json json = nlohmann::json::array();
  for (const ColumnSummary& column : summarise_columns(table, inferred)) {
    if (column.role != ColumnSummary::Role::kSetAside) json.push_back(seen_to_json(column));
  }
  return json;
}

nlohmann::json set_aside_to_json(const InferredSchema& inferred) {
  nlohmann::json json = nlohmann::json::array();
  for (const UnusedColumn& aside : inferred.set_aside) {
    json.push_back({{"column", aside.column}, {"reason", aside.reason}});
  }
  return json;
}

}  // namespace knockout
