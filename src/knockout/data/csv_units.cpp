// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "knockout/data/csv_messages.h"
#include "knockout/data/csv_sample.h"
#include "knockout/data/csv_words.h"
#include "knockout/data/missing_words.h"
#include "knockout/data/name_list.h"

namespace knockout {
namespace {

constexpr std::size_t kUnitRecords = 200;

/// Whether all records from `first` on have a number or a gap in the column, one a number.
bool is_otherwise_numbers(const std::vector<SampledRecord>& records, std::size_t first,
                          std::size_t column, const GapWords& gap_words) {
  bool any = false;
  for (std::size_t i = first; i < records.size(); ++i) {
    if (column >= records[i].cells.size()) continue;
    const std::string_view cell = records[i].cells[column];
    if (gap_words.state_of(cell)) continue;
    if (!is_number_cell(cell)) return false;
    any = true;
  }
  return any;
}

bool stands_below(const std::vector<SampledRecord>& records, std::size_t first, std::size_t column,
                  std::string_view word) {
  return std::any_of(records.begin() + static_cast<std::ptrdiff_t>(first), records.end(),
                     [&](const SampledRecord& record) {
                       return column < record.cells.size() && record.cells[column] == word;
                     });
}

/// Looks for lines of units, or of long names, between the header and the values.
class UnitsFinder {
 public:
  UnitsFinder(const CsvLayout& layout, const std::vector<SampledRecord>& records,
              const CsvOptions& options)
      : layout_(layout),
        records_(records),
        gap_words_(options.missing_words, options.reason_words),
        text_columns_(options.text_columns, layout.names) {}

  /// Whether the first `count` records are such lines.
  bool are_units(std::size_t count) {
    units_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_line_of_words(i, count)) return false;
    }
    return true;
  }

  /// "mg for dose": what are_units() found last.
  const std::vector<std::string>& units() const { return units_; }

 private:
  bool is_line_of_words(std::size_t record, std::size_t values) {
    const std::vector<std::string_view>& cells = records_[record].cells;
    if (cells.size() != layout_.names.size()) return false;
    std::size_t above_numbers = 0, empty_above_numbers = 0;
    bool is_new = true;  // no cell stands below once more
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (layout_.set_aside[i]) continue;
      const bool numbers = !text_columns_.contains(layout_.names[i]) &&
                           is_otherwise_numbers(records_, values, i, gap_words_);
      if (cells[i].empty()) {
        empty_above_numbers += numbers;
        continue;
      }
      if (is_number_cell(cells[i]) || gap_words_.state_of(cells[i])) return false;
      if (says_missing(cells[i])) continue;
      is_new &= !stands_below(records_, values, i, cells[i]);
      if (!numbers) continue;
      ++above_numbers;
      units_.push_back(fmt::format("{} for \"{}\"", show_cell(cells[i]), layout_.names[i]));
    }
    return above_numbers >= 2 || (above_numbers == 1 && empty_above_numbers > 0 && is_new);
  }

  const CsvLayout& layout_;
  const std::vector<SampledRecord>& records_;
  const GapWords gap_words_;
  const NameList text_columns_;
  std::vector<std::string> units_;
};

}  // namespace

std::optional<UnitsRow> find_units_row(const CsvLayout& layout, std::string_view body,
                                       std::uint64_t body_line, const CsvOptions& options) {
  constexpr std::size_t kMostLines = 2;
  constexpr std::size_t kLeastValues = 2;  // one row of numbers could be the odd one itself
  const std::vector<SampledRecord> records =
      sample_records(body, body_line, layout.dialect, kUnitRecords);
  UnitsFinder finder(layout, records, options);
  std::size_t lines = 0;
  for (std::size_t count = 1; count <= kMostLines && lines == 0; ++count) {
    if (records.size() >= count + kLeastValues && finder.are_units(count)) lines = count;
  }
  if (lines == 0) return std::nullopt;
  std::vector<std::string> units = finder.units();
  constexpr std::size_t kShown = 3;
  if (units.size() > kShown) {
    units.resize(kShown);
    units.emplace_back("...");
  }
  const SampledRecord& last = records[lines - 1];
  const std::string where = lines == 1
                                ? fmt::format("Line {} holds", records[0].line)
                                : fmt::format("Lines {} and {} hold", records[0].line, last.line);
  return UnitsRow{body.substr(static_cast<std::size_t>(last.end - body.data())),
                  body_line + count_newlines(body.data(), last.end),
                  {"units_row", "",
                   fmt::format("{} units or names, not values: {}. {} set aside.", where,
                               fmt::join(units, ", "), lines == 1 ? "It was" : "They were")}};
}

}  // namespace knockout
