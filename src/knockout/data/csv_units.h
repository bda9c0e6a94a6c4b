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

/// One or two first records that say in which units the columns are, or what they are in full: no
/// number anywhere, and words where at least two columns hold nothing but numbers otherwise. One
/// such column will do where another is left empty and no word of the record stands below again.
/// Nothing when there are none.
std::optional<UnitsRow> find_units_row(const CsvLayout& layout, std::string_view body,
                                       std::uint64_t body_line, const CsvOptions& options);

}  // namespace knockout
