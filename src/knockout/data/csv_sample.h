// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"

namespace knockout {

/// One record of a file whose columns are not known yet.
struct SampledRecord {
  const char* begin = nullptr;
  const char* end = nullptr;            ///< After its '\n'.
  std::uint64_t line = 0;               ///< At which it starts.
  std::vector<std::string_view> cells;  ///< Without quotes and blanks around them.

  std::string_view text() const { return {begin, static_cast<std::size_t>(end - begin)}; }
};

/// The first records of `text`, without blank lines: no more than `most`, and not much more than
/// the beginning of a large file. Ends before a quote that is never closed. REQUIRES: `text` is
/// empty or ends with '\n'.
std::vector<SampledRecord> sample_records(std::string_view text, std::uint64_t first_line,
                                          const CsvDialect& dialect, std::size_t most);

/// Whether a cell is a number, with a decimal point or comma.
bool is_number_cell(std::string_view cell);

/// Cells that are not empty.
std::size_t filled_cells(const SampledRecord& record);

}  // namespace knockout
