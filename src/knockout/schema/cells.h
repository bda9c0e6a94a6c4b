// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>

#include "knockout/data/table.h"

namespace knockout {

/// The state of a cell, for columns made by hand too: an "observed" NaN is missing, an infinity is
/// missing for a reason, a word without a code is missing. So numbers that pass here are finite.
inline CellState cell_state(const Column& column, std::size_t row) {
  const CellState state = column.states[row];
  if (state != CellState::kObserved) return state;
  if (column.is_text) return column.codes[row] < 0 ? CellState::kMissing : CellState::kObserved;
  const double number = column.numbers[row];
  if (std::isfinite(number)) return CellState::kObserved;
  return std::isnan(number) ? CellState::kMissing : CellState::kMissingForAReason;
}

}  // namespace knockout
