// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "knockout/data/csv_field.h"

namespace knockout {

/// What the CSV reader says when a file cannot be used. Each function throws a DataError that names
/// the place, what was found, what was expected and the fix.

/// A cell as messages show it: in quotes, shortened, with control characters made visible.
std::string show_cell(std::string_view cell);

/// `file.csv:118, column "age"`.
std::string cell_place(const CsvLayout& layout, std::size_t column, std::uint64_t line);

/// The record at `record` has more or fewer fields than the header.
[[noreturn]] void throw_ragged(const CsvLayout& layout, const char* record, const char* end,
                               std::uint64_t line);

/// The field that starts on `line` is never closed, or goes on after its closing quote.
[[noreturn]] void throw_bad_quotes(const CsvLayout& layout, std::size_t column,
                                   const CsvField& field, std::uint64_t line);

}  // namespace knockout
