// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_reader.h"

namespace knockout {

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

}  // namespace knockout
