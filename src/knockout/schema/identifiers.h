// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "knockout/data/column.h"
#include "knockout/schema/column_profile.h"

namespace knockout {

/// Why a column names its rows rather than describes them.
struct RowNames {
  std::string_view code;  ///< Of the note: "identifier", "free_text".
  std::string reason;     ///< "looks like an identifier (...)", "looks like free text (...)".
};

/// Whether the words of a column name its rows. Dates are for the caller to rule out.
std::optional<RowNames> row_names_of_words(const Column& column, const ColumnProfile& profile);

/// The same for numbers. Years and other times, numbers with decimals, and numbers that repeat name
/// no rows; only the number of a patient (and the like) may repeat.
std::optional<RowNames> row_names_of_numbers(const Column& column, const ColumnProfile& profile);

}  // namespace knockout
