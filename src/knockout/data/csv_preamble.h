// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "knockout/data/csv_sample.h"

namespace knockout {

/// A line that starts with '#', or with '%' as MATLAB and TeX have it.
bool is_remark_line(std::string_view line);

/// A line that is drawn rather than written, as databases put it below the header: ----+----.
bool is_rule_line(std::string_view line);

/// A line that counts the rows, as databases put it below the table: (12 rows).
bool is_row_count(std::string_view line);

/// How many of the first records stand above the header: titles, remarks, drawn lines. A title is a
/// record with a single cell that is not empty, where the table below has three columns at least;
/// above a line that can only be a header, two columns will do, or two fields less than the table
/// has. `has_header` as in CsvOptions: the first record is the header when true; when false, only
/// remarks are looked for.
std::size_t preamble_length(const std::vector<SampledRecord>& records,
                            std::optional<bool> has_header);

}  // namespace knockout
