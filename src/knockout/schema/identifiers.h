// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "knockout/data/column.h"
#include "knockout/schema/column_profile.h"

namespace knockout {

/// Why a column names its rows rather than describes them.
struct RowNames {
  std::string_view code;  ///< Of the note: "identifier", "free_text", "number_like".
  std::string reason;     ///< "looks like an identifier (...)", "looks like free text (...)".
};

/// Whether so many different words in so many cells are names, whatever they are.
bool counts_like_names(std::size_t words, std::size_t cells);

/// Whether the words of a column name its rows. Dates are for the caller to rule out. Words that
/// look like numbers in a form that is not read are set aside as well, but for that reason.
std::optional<RowNames> row_names_of_words(const Column& column, const ColumnProfile& profile);

/// The same for numbers. Years and other times, numbers with decimals, and numbers that repeat name
/// no rows; only the number of a patient (and the like) may repeat.
std::optional<RowNames> row_names_of_numbers(const Column& column, const ColumnProfile& profile);

}  // namespace knockout
