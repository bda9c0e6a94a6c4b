// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_sample.h"

#include <algorithm>
#include <utility>

#include "knockout/data/csv_number.h"

namespace knockout {

std::vector<SampledRecord> sample_records(std::string_view text, std::uint64_t first_line,
                                          const CsvDialect& dialect, std::size_t most) {
  constexpr std::size_t kBytes = std::size_t{1} << 18;
  constexpr std::size_t kLeastRecords = 3;  // however long they are
  std::vector<SampledRecord> records;
  const char* p = text.data();
  const char* const end = p + text.size();
  const char* const far = p + std::min(text.size(), kBytes);
  std::uint64_t line = first_line;
  while (p != end && records.size() < most && (p < far || records.size() < kLeastRecords)) {
    if (const char* const next = skip_blank_line(p, dialect)) {
      p = next;
      ++line;
      continue;
    }
    SampledRecord record;
    record.begin = p;
    record.line = line;
    while (true) {
      const CsvField field = read_field(p, end, dialect);
      if (field.problem == CsvField::Problem::kUnclosedQuote) return records;
      record.cells.push_back(trim(field.text));
      line += field.newlines;
      p = field.end + 1;
      if (*field.end == '\n') break;
    }
    ++line;
    record.end = p;
    records.push_back(std::move(record));
  }
  return records;
}

bool is_number_cell(std::string_view cell) {
  return parse_number(cell, '.').kind == NumberKind::kNumber ||
         parse_number(cell, ',').kind == NumberKind::kNumber;
}

std::size_t filled_cells(const SampledRecord& record) {
  return static_cast<std::size_t>(
      std::count_if(record.cells.begin(), record.cells.end(),
                    [](std::string_view cell) { return !cell.empty(); }));
}

}  // namespace knockout
