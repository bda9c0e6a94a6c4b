// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"
#include "knockout/data/note.h"

namespace knockout {

/// A header of two lines: the names, and where the records go on.
struct HeaderLevels {
  std::vector<std::string> names;
  std::string_view body;
  std::uint64_t body_line = 0;
  Note note;
};

/// Whether the record below the header names the columns together with it, as merged cells of a
/// spreadsheet and the column levels of pandas do: names of the first line repeat or go on over
/// empty cells, the second line holds words above numbers, and both together are all different.
/// The line in which pandas names the index belongs to it. Nothing when the header is one line.
std::optional<HeaderLevels> find_header_levels(const CsvLayout& layout, std::string_view body,
                                               std::uint64_t body_line);

}  // namespace knockout
