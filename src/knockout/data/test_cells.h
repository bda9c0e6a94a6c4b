// SPDX-License-Identifier: Apache-2.0
// For tests: the states of cells by short names, and cells that can be compared and printed.
#pragma once

#include <span>
#include <vector>

#include "knockout/data/column.h"

namespace knockout {

inline constexpr CellState kObserved = CellState::kObserved;
inline constexpr CellState kMissing = CellState::kMissing;
inline constexpr CellState kReason = CellState::kMissingForAReason;
inline constexpr CellState kBelow = CellState::kBelowLimit;
inline constexpr CellState kAbove = CellState::kAboveLimit;

template <typename T>
std::vector<T> listed(std::span<const T> cells) {
  return {cells.begin(), cells.end()};
}

}  // namespace knockout
