// SPDX-License-Identifier: Apache-2.0
// For tests: the states of cells by short names.
#pragma once

#include "knockout/data/table.h"

namespace knockout {

inline constexpr CellState kObserved = CellState::kObserved;
inline constexpr CellState kMissing = CellState::kMissing;
inline constexpr CellState kReason = CellState::kMissingForAReason;

}  // namespace knockout
