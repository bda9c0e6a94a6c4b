// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_messages.h"

namespace knockout {

/// Walks over the records in [begin, end): calls `read_cell(column, p, line)` for each cell in
/// turn, which returns the position of the delimiter or '\n' after it and adds to `line` the line
/// ends within it; then `end_row(line)` with the line at which the record started, which returns
/// false to stop. Blank lines are no records, except in a file of one column, where they are empty
/// cells. Throws DataError for a record with another number of fields than the header.
template <typename ReadCell, typename EndRow>
void walk_records(const CsvLayout& layout, const char* begin, const char* end, std::uint64_t line,
                  const ReadCell& read_cell, const EndRow& end_row) {
  const std::size_t columns = layout.names.size();
  const char delimiter = layout.dialect.delimiter;
  for (const char* p = begin; p != end; ++p, ++line) {
    if (columns > 1 && *p <= ' ') {
      const char* const next = skip_blank_line(p, layout.dialect);
      if (next != nullptr) {
        p = next - 1;
        continue;
      }
    }
    const char* const record = p;
    const std::uint64_t record_line = line;
    for (std::size_t column = 0;; ++p) {
      p = read_cell(column, p, line);
      if (++column == columns) break;
      if (*p != delimiter) throw_ragged(layout, record, end, record_line);
    }
    if (*p != '\n') throw_ragged(layout, record, end, record_line);
    if (!end_row(record_line)) return;
  }
}

/// Reads a field and insists that its quotes are in order.
inline CsvField read_sound_field(const CsvLayout& layout, std::size_t column, const char* p,
                                 const char* end, std::uint64_t& line) {
  const CsvField field = read_field(p, end, layout.dialect);
  if (field.problem != CsvField::Problem::kNone) throw_bad_quotes(layout, column, field, line);
  line += field.newlines;
  return field;
}

}  // namespace knockout
