// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "knockout/data/table.h"
#include "knockout/schema/infer.h"

namespace knockout {

/// What the columns in use held in training, as the model's provenance keeps it for people: one
/// object per input, target and weight, in the order of the table, with "name", "role", "observed",
/// "missing", "missing_for_a_reason" and, where they apply, "below_limit" and "above_limit" (of
/// those for a reason), "low", "high" and "mean", "first" and "last" (dates), or "distinct" and the
/// most frequent values with their "rows".
nlohmann::json seen_columns_to_json(const Table& table, const InferredSchema& inferred);

/// [{"column": "id", "reason": "looks like an identifier"}, ...]
nlohmann::json set_aside_to_json(const InferredSchema& inferred);

}  // namespace knockout
