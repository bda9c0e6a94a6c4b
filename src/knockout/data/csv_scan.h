// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"

namespace knockout {

/// A run of whole records, to be parsed by one thread.
struct CsvRange {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::uint64_t first_line = 0;  ///< The line of the source at which it begins.
  std::size_t max_records = 0;   ///< No more records than this; fewer when lines are blank.
};

/// Cuts `text` (whole records, the last one ended by '\n') into runs of about `chunk_bytes`, never
/// inside a record, even where quotes hold line ends. `first_line` is the line at which `text`
/// starts. An unclosed quote makes the last run end inside it; the parser reports that.
std::vector<CsvRange> split_records(std::string_view text, std::uint64_t first_line,
                                    const CsvDialect& dialect, std::size_t chunk_bytes,
                                    int threads);

/// The offset of the first byte that no text has (NUL, or not UTF-8), or npos.
std::size_t find_binary_byte(std::string_view text, int threads);

}  // namespace knockout
