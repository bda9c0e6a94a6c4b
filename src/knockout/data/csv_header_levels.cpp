// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_header_levels.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_sample.h"

namespace knockout {
namespace {

constexpr std::size_t kLevelRecords = 100;

/// "2019", "", "2020", "" is "2019", "2019", "2020", "2020": cells that were merged. The first
/// column may have no name at all.
std::vector<std::string> with_merged_cells(const std::vector<std::string>& names) {
  std::vector<std::string> full = names;
  for (std::size_t i = 2; i < full.size(); ++i) {
    if (full[i].empty()) full[i] = full[i - 1];
  }
  return full;
}

bool have_numbers(const std::vector<SampledRecord>& records, std::size_t first,
                  std::size_t column) {
  std::size_t numbers = 0, words = 0;
  for (std::size_t i = first; i < records.size(); ++i) {
    if (column >= records[i].cells.size() || records[i].cells[column].empty()) continue;
    ++(is_number_cell(records[i].cells[column]) ? numbers : words);
  }
  return numbers >= 2 && words == 0;
}

/// The line "symbol,,,": pandas names the index there.
bool names_the_index(const SampledRecord& record) {
  return filled_cells(record) == 1 && !record.cells[0].empty() && !is_number_cell(record.cells[0]);
}

}  // namespace

std::optional<HeaderLevels> find_header_levels(const CsvLayout& layout, std::string_view body,
                                               std::uint64_t body_line) {
  const std::vector<SampledRecord> records =
      sample_records(body, body_line, layout.dialect, kLevelRecords);
  constexpr std::size_t kLeastRecords = 3;  // the level and two rows
  if (records.size() < kLeastRecords || layout.names.size() < 3) return std::nullopt;
  const std::vector<std::string_view>& second = records[0].cells;
  if (second.size() != layout.names.size()) return std::nullopt;
  const std::vector<std::string> first = with_merged_cells(layout.names);
  const std::set<std::string> different(first.begin() + 1, first.end());
  if (different.size() + 1 == first.size()) return std::nullopt;  // names enough in one line

  const bool has_index_line = names_the_index(records[1]);
  const std::size_t values = has_index_line ? 2 : 1;
  HeaderLevels levels;
  std::size_t above_numbers = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string_view below = second[i];
    if (is_number_cell(below)) return std::nullopt;
    if (i > 0 && below.empty() && layout.names[i].empty()) return std::nullopt;
    above_numbers += !below.empty() && have_numbers(records, values, i) ? 1 : 0;
    levels.names.push_back(below.empty()      ? first[i]
                           : first[i].empty() ? std::string(below)
                                              : fmt::format("{} {}", first[i], below));
  }
  const std::set<std::string> joined(levels.names.begin(), levels.names.end());
  if (above_numbers < 2 || joined.size() != levels.names.size()) return std::nullopt;
  if (has_index_line) levels.names[0] = records[1].cells[0];

  const SampledRecord& last = records[values - 1];
  levels.body = body.substr(static_cast<std::size_t>(last.end - body.data()));
  levels.body_line = records[values].line;
  levels.note = {
      "header_levels", "",
      fmt::format("The names of the columns stand in {} lines, which were joined: {} and "
                  "{} are {}.",
                  values + 1, show_cell(first.back()), show_cell(second.back()),
                  show_cell(levels.names.back()))};
  return levels;
}

}  // namespace knockout
