// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_sample.h"
#include "knockout/data/csv_words.h"
#include "knockout/data/name_list.h"

namespace knockout {
namespace {

constexpr std::size_t kUnitRecords = 200;

/// Words that stand for a missing value in a first row rather than for a unit.
bool says_missing(std::string_view cell) {
  std::string lower(cell);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::array<std::string_view, 19> kWords = {
      "na",   "n/a",     "n.a.",    "n/k", "nan",   "nd",    "n.d.",    "-",   "--",           ".",
      "none", "unknown", "missing", "nil", "error", "#ref!", "refused", "tbd", "not available"};
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

/// Whether all records but the first have a number or a gap in the column, one a number.
bool is_otherwise_numbers(const std::vector<SampledRecord>& records, std::size_t column,
                          const GapWords& gap_words) {
  bool any = false;
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (column >= records[i].cells.size()) continue;
    const std::string_view cell = records[i].cells[column];
    if (gap_words.state_of(cell)) continue;
    if (!is_number_cell(cell)) return false;
    any = true;
  }
  return any;
}

}  // namespace

std::optional<UnitsRow> find_units_row(const CsvLayout& layout, std::string_view body,
                                       std::uint64_t body_line, const CsvOptions& options) {
  const std::vector<SampledRecord> records =
      sample_records(body, body_line, layout.dialect, kUnitRecords);
  constexpr std::size_t kLeastRecords = 3;  // one row of numbers could be the odd one itself
  if (records.size() < kLeastRecords) return std::nullopt;
  const SampledRecord& first = records[0];
  if (first.cells.size() != layout.names.size()) return std::nullopt;
  const GapWords gap_words(options.missing_words, options.reason_words);
  const NameList text_columns(options.text_columns, layout.names);
  std::vector<std::string> units;
  for (std::size_t i = 0; i < first.cells.size(); ++i) {
    if (layout.set_aside[i]) continue;
    const std::string_view cell = first.cells[i];
    if (cell.empty()) continue;
    if (is_number_cell(cell) || gap_words.state_of(cell)) return std::nullopt;
    if (says_missing(cell) || text_columns.contains(layout.names[i])) continue;
    if (is_otherwise_numbers(records, i, gap_words)) {
      units.push_back(fmt::format("{} for \"{}\"", show_cell(cell), layout.names[i]));
    }
  }
  if (units.size() < 2) return std::nullopt;
  constexpr std::size_t kShown = 3;
  if (units.size() > kShown) {
    units.resize(kShown);
    units.emplace_back("...");
  }
  const auto length = static_cast<std::size_t>(first.end - body.data());
  return UnitsRow{body.substr(length),
                  body_line + count_newlines(body.data(), first.end),
                  {"units_row", "",
                   fmt::format("Line {} holds units, not values: {}. It was set aside.", first.line,
                               fmt::join(units, ", "))}};
}

}  // namespace knockout
