// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_no_header.h"

#include <fmt/format.h>

#include <string_view>

#include "knockout/data/csv_messages.h"
#include "knockout/data/missing_words.h"

namespace knockout {
namespace {

/// The records below the first, but for those that repeat it as a whole.
std::vector<const SampledRecord*> other_records(const std::vector<SampledRecord>& records) {
  std::vector<const SampledRecord*> others;
  for (const SampledRecord& record : records) {
    if (record.cells != records[0].cells && record.cells.size() == records[0].cells.size()) {
      others.push_back(&record);
    }
  }
  return others;
}

bool is_number_above_numbers(const std::vector<const SampledRecord*>& below, std::size_t column) {
  std::size_t numbers = 0;
  for (const SampledRecord* const record : below) {
    const std::string_view cell = record->cells[column];
    if (cell.empty() || says_missing(cell)) continue;
    if (!is_number_cell(cell)) return false;
    ++numbers;
  }
  return numbers > 0;
}

bool recurs(const std::vector<const SampledRecord*>& below, std::size_t column,
            std::string_view word) {
  for (const SampledRecord* const record : below) {
    if (record->cells[column] == word) return true;
  }
  return false;
}

}  // namespace

std::optional<Note> find_missing_header(const std::vector<SampledRecord>& records) {
  if (records.size() < 2) return std::nullopt;
  const std::vector<std::string_view>& first = records[0].cells;
  const std::vector<const SampledRecord*> below = other_records(records);
  std::optional<std::size_t> number, word;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].empty() || says_missing(first[i])) continue;
    if (is_number_cell(first[i])) {
      if (!number && is_number_above_numbers(below, i)) number = i;
    } else if (!word && recurs(below, i, first[i])) {
      word = i;
    }
  }
  if (!number || !word) return std::nullopt;
  return Note{"no_header", "",
              fmt::format("The file has no header: its first line is a row, with {} above other "
                          "numbers and {}, which stands below once more. The columns are called "
                          "column_1 to column_{}. If the line names them:  `has_header = yes`",
                          show_cell(first[*number]), show_cell(first[*word]), first.size())};
}

}  // namespace knockout
