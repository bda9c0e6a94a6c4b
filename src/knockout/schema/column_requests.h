// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/kinds/column_codec.h"

namespace knockout {

enum class ColumnRole { kInput, kTarget, kWeight, kIgnored };

/// Everything the options say about one column, patterns expanded.
struct ColumnRequest {
  ColumnRole role = ColumnRole::kInput;
  const ColumnCodec* kind = nullptr;     ///< What it is said to be; nullptr = nothing is said.
  std::vector<std::string> levels = {};  ///< Kinds with an order: lowest first.
  bool never_missing = false;
  bool missing_at_random = false;
  std::optional<double> lower, upper;
  bool range_by_name = false;  ///< The range names this very column, not a pattern that matches it.
  std::string group;
};

/// One request per column of the table. Throws ConfigError for names that match nothing and for
/// options that contradict each other. A pattern passes over columns it cannot mean (a group
/// of `*` leaves the target alone); naming such a column is an error.
std::vector<ColumnRequest> read_requests(const Table& table, const SchemaOptions& options);

}  // namespace knockout
