// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_reader.h"

namespace knockout {

/// The delimiter is found in this much of the file, so that reading only the header of a file gives
/// the same answer as reading all of it.
inline constexpr std::size_t kSniffedBytes = std::size_t{1} << 18;

/// What stands before the rows of a CSV file.
struct CsvPrologue {
  CsvLayout layout;             ///< Delimiter and column names.
  std::string_view body;        ///< The records after the header.
  std::uint64_t body_line = 0;  ///< The line at which they start.
};

/// Finds the delimiter and reads the header. REQUIRES: `text` is UTF-8 and ends with '\n'.
/// Throws DataError when there is no header, or it names a column twice or not at all.
CsvPrologue read_prologue(std::string_view text, const std::string& source,
                          const CsvOptions& options);

/// The column names of a file that begins with `text`, or nothing when its header may go on behind
/// `text`. Throws DataError as read_prologue() and check_is_text() do when `is_whole_file`.
/// REQUIRES: a whole file ends with '\n'; the beginning of one is at least kSniffedBytes long,
/// unless the options say the delimiter.
std::optional<std::vector<std::string>> read_names(std::string_view text, bool is_whole_file,
                                                   const std::string& source,
                                                   const CsvOptions& options);

}  // namespace knockout
