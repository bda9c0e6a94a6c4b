// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "knockout/data/column.h"
#include "knockout/schema/reading/number_format.h"

namespace knockout {

/// Whether a cell of a column of numbers says that the value lies beyond what could be measured or
/// told, and on which side: <0.5, > 90, <LOD, BDL, 90+, less than 5, -Inf. The number is written in
/// the column's format.
std::optional<CellState> find_limit(std::string_view cell, const NumberFormat& format);

}  // namespace knockout
