// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// What really was: numbers, or class indices as numbers; NaN where the label is missing.
/// Throws DataError when the table lacks the column, and with the line for a label that the target
/// does not know.
std::vector<double> labels_of(const Table& table, const Target& target);

}  // namespace knockout
