// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <vector>
#include "knockout/data/csv_reader.h"

#include "knockout/data/csv_sample.h"

namespace knockout {

/// The delimiter among comma, semicolon, tab and | that explains the first records of `text` best;
/// a blank where none of them does and all records fit. A comma when nothing speaks for another.
char find_delimiter(std::string_view text, std::optional<bool> has_header);

/// Whether all records below `records[header]` have one field more than it has, as R's write.table
/// writes them: a name for the row first.
bool has_short_header(const std::vector<SampledRecord>& records, std::size_t header);

/// Refuses lines of more fields than the limits allow, whatever separates them, before anything is
/// kept of each field. Throws DataError.
void check_line_widths(std::string_view text, const std::string& source, const CsvOptions& options);

}  // namespace knockout
