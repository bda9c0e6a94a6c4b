// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_preamble.h"

#include <algorithm>
#include <map>
#include <set>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_number.h"

namespace knockout {
namespace {

constexpr std::size_t kMostPreambleRecords = 20;

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return trim(line);
}

bool is_remark(const SampledRecord& record) { return is_remark_line(record.text()); }

/// As many fields as most records have.
std::size_t usual_width(const std::vector<SampledRecord>& records) {
  std::map<std::size_t, std::size_t> counts;
  for (const SampledRecord& record : records) {
    if (!is_rule_line(record.text())) ++counts[record.cells.size()];
  }
  std::size_t width = 0;
  std::size_t most = 0;
  for (const auto& [fields, count] : counts) {
    if (count < most) continue;
    width = fields;  // the wider one of two that are as common
    most = count;
  }
  return width;
}

/// Fields up to the last that is not empty.
std::size_t used_fields(const SampledRecord& record) {
  std::size_t used = record.cells.size();
  while (used > 0 && record.cells[used - 1].empty()) --used;
  return used;
}

/// Whether the record can be nothing but a header: different words all over, and numbers below.
bool is_surely_header(const std::vector<SampledRecord>& records, std::size_t at,
                      std::size_t width) {
  if (at >= records.size()) return false;
  const std::vector<std::string_view>& names = records[at].cells;
  if (names.size() != width && names.size() + 1 != width) return false;
  const std::set<std::string_view> distinct(names.begin(), names.end());
  if (distinct.size() != names.size() || distinct.contains("")) return false;
  if (std::any_of(names.begin(), names.end(), is_number_cell)) return false;
  return std::any_of(records.begin() + static_cast<std::ptrdiff_t>(at) + 1, records.end(),
                     [](const SampledRecord& record) {
                       return std::any_of(record.cells.begin(), record.cells.end(), is_number_cell);
                     });
}

bool is_title(const SampledRecord& record, std::size_t width) {
  if (width < 2) return false;
  const std::size_t filled = filled_cells(record);
  // With two columns, an empty first cell is the unnamed column of row names.
  return filled == 0 || (filled == 1 && (width > 2 || !record.cells[0].empty()));
}

bool can_be_header(const SampledRecord& record) {
  return filled_cells(record) >= 2 &&
         std::any_of(record.cells.begin(), record.cells.end(),
                     [](std::string_view cell) { return !cell.empty() && !is_number_cell(cell); });
}

/// Remarks and drawn lines from `at` on.
std::size_t skip_remarks(const std::vector<SampledRecord>& records, std::size_t at,
                         std::size_t width) {
  const auto after_remarks = [&](std::size_t i) {
    while (i < records.size() && is_remark(records[i])) ++i;
    return i;
  };
  while (at < records.size() && at < kMostPreambleRecords) {
    const bool is_other_line =
        is_remark(records[at]) &&
        (used_fields(records[at]) != width || is_surely_header(records, after_remarks(at), width));
    if (!is_other_line && !is_rule_line(records[at].text())) break;
    ++at;
  }
  return at;
}

}  // namespace

bool is_remark_line(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%');
}

bool is_rule_line(std::string_view line) {
  line = without_line_end(line);
  // sqlcmd draws one in each column and puts the delimiter between them.
  const bool drawn = line.find_first_not_of("-+|=: ,;\t") == std::string_view::npos;
  return drawn && line.find("---") != std::string_view::npos;
}

bool is_row_count(std::string_view line) {
  line = without_line_end(line);
  const bool closed = line.starts_with('(') && line.ends_with(')');
  if (closed) line = line.substr(1, line.size() - 2);
  std::size_t digits = 0;
  while (digits < line.size() && csv_internal::is_digit(line[digits])) ++digits;
  std::string_view rest = line.substr(digits);
  if (digits == 0 || !rest.starts_with(" row")) return false;
  rest.remove_prefix(rest.starts_with(" rows") ? 5 : 4);
  return closed ? rest.empty() || rest == " affected" : rest == " selected.";
}

std::size_t preamble_length(const std::vector<SampledRecord>& records,
                            std::optional<bool> has_header) {
  if (has_header.value_or(false)) return 0;
  const std::size_t width = usual_width(records);
  const std::size_t remarks = skip_remarks(records, 0, width);
  if (has_header || width < 2) return std::min(remarks, records.size() - (remarks > 0));
  // Of two columns, a single name above row names and numbers looks the same as a title.
  bool must_be_sure = width == 2;
  std::size_t at = remarks;
  while (at < records.size() && at < kMostPreambleRecords) {
    const std::size_t next = skip_remarks(records, at, width);
    if (next != at) {
      at = next;
      continue;
    }
    // A logger's own line may also be longer than the table.
    const std::size_t used = used_fields(records[at]);
    const bool is_other_width = used + 1 < width || used > width;
    if (!is_other_width && !is_title(records[at], width)) break;
    must_be_sure |= !is_title(records[at], width);
    ++at;
  }
  if (at >= records.size() || !can_be_header(records[at])) return remarks;
  if (must_be_sure && !is_surely_header(records, at, width)) return remarks;
  return at;
}

}  // namespace knockout
