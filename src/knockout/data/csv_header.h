// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/note.h"

namespace knockout {

/// What stands around the rows of a CSV file.
struct CsvPrologue {
  CsvLayout layout;             ///< Delimiter and column names.
  std::string_view header;      ///< The record that names them; empty when none does.
  std::string_view body;        ///< The records after the header.
  std::uint64_t body_line = 0;  ///< The line at which they start.
  std::vector<Note> notes;      ///< What was skipped, dropped or renamed.

  /// Of the columns of the table, in order.
  std::vector<std::string> names() const;
};

/// Finds the delimiter and reads the header; finds what is no part of the table, such as titles, a
/// line of units, names of rows. REQUIRES: `text` is UTF-8 and ends with '\n'.
/// Throws DataError when there is no header.
CsvPrologue read_prologue(std::string_view text, const std::string& source,
                          const CsvOptions& options);

}  // namespace knockout
