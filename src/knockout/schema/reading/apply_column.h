// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "knockout/data/column.h"
#include "knockout/schema/reading/column_reading.h"
#include "knockout/schema/reading/said_words.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// A column as it was read, and what could not be.
struct AppliedColumn {
  Column column = {};
  /// Words (or, where dates belong, numbers) that say nothing, and are missing now.
  std::vector<std::string> unreadable = {};
  std::vector<std::size_t> unreadable_cells = {};  ///< For each of them.
  std::size_t first_row = 0;                       ///< Of such a cell.
};

/// `usual_gaps`: words such as "unknown" and "None" mean missing.
AppliedColumn apply_reading(Column column, const ColumnReading& reading, const SaidWords& said,
                            bool usual_gaps);

/// The same for a column that learning did not see: the said words alone.
Column without_said_words(Column column, const SaidWords& said);

}  // namespace knockout
