// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/note.h"

namespace knockout {

/// Where the records go on after a line of units.
struct UnitsRow {
  std::string_view body;
  std::uint64_t body_line = 0;
  Note note;
};

/// A first record that says in which units the columns are: words where at least two columns hold
/// nothing but numbers otherwise, and no number anywhere. Nothing when there is none.
std::optional<UnitsRow> find_units_row(const CsvLayout& layout, std::string_view body,
                                       std::uint64_t body_line, const CsvOptions& options);

}  // namespace knockout
