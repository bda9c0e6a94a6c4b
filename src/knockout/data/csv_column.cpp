// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_column.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "knockout/data/csv_field.h"
#include "knockout/data/csv_number.h"
#include "knockout/data/word_table.h"

namespace knockout {
namespace {

/// Closes the gap that blank lines left before a range.
template <typename T>
void move_up(std::vector<T>& values, std::size_t from, std::size_t to, std::size_t count) {
  if (from == to) return;
  std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), count,
              values.begin() + static_cast<std::ptrdiff_t>(to));
}

/// The state for which a word stands though the parser took it for an ordinary one.
std::optional<CellState> late_state(std::string_view word, const GapWords& gap_words,
                                    char decimal_mark) {
  const std::string_view cell = trim(word);
  if (const std::optional<CellState> state = gap_words.state_of(cell)) return state;
  if (!gap_words.has_numbers()) return std::nullopt;
  const ParsedNumber number = parse_number(cell, decimal_mark);
  if (number.kind != NumberKind::kNumber) return std::nullopt;
  return gap_words.state_of_number(number.value);
}

}  // namespace

Column join_numbers(ParsedRecords& parsed, std::size_t index, const std::string& name,
                    const GapWords& gap_words) {
  CsvCells& cells = parsed.cells[index];
  std::size_t row = 0;
  for (std::size_t r = 0; r < parsed.results.size(); ++r) {
    const std::size_t count = parsed.results[r].rows;
    move_up(cells.states, parsed.first_rows[r], row, count);
    move_up(cells.numbers, parsed.first_rows[r], row, count);
    row += count;
  }
  cells.states.resize(parsed.rows);
  cells.numbers.resize(parsed.rows);
  if (gap_words.has_numbers()) {
    for (std::size_t i = 0; i < parsed.rows; ++i) {
      if (cells.states[i] != CellState::kObserved) continue;
      const auto state = gap_words.state_of_number(cells.numbers[i]);
      if (!state) continue;
      cells.states[i] = *state;
      cells.numbers[i] = 0.0;
    }
  }
  return Column::sound_numbers(name, std::move(cells.numbers), std::move(cells.states));
}

JoinedColumn join_words(ParsedRecords& parsed, std::size_t index, const std::string& name,
                        const GapWords& gap_words, char decimal_mark, bool keep_none) {
  CsvCells& cells = parsed.cells[index];
  JoinedColumn joined;
  WordTable words;
  std::vector<std::int32_t> code_of;  // of the file, by the code in a range; -1 for a gap
  std::vector<CellState> state_of;
  std::size_t row = 0;
  for (std::size_t r = 0; r < parsed.results.size(); ++r) {
    code_of.clear();
    state_of.clear();
    std::int32_t none_code = -1;
    bool any_gap = false;
    for (const std::string_view word : parsed.results[r].words[index].words()) {
      const bool is_none = trim(word) == kNone;
      std::optional<CellState> gap = late_state(word, gap_words, decimal_mark);
      if (is_none && keep_none) gap.reset();
      if (is_none && gap) none_code = static_cast<std::int32_t>(code_of.size());
      code_of.push_back(gap ? -1 : words.find_or_add(word));
      state_of.push_back(gap.value_or(CellState::kObserved));
      any_gap |= gap.has_value();
    }
    const std::size_t first = parsed.first_rows[r];
    const std::size_t count = parsed.results[r].rows;
    move_up(cells.states, first, row, count);
    for (std::size_t i = 0; any_gap && i < count; ++i) {
      const std::int32_t code = cells.codes[first + i];
      if (code < 0) continue;
      joined.none_cells += code == none_code;
      cells.states[row + i] = state_of[static_cast<std::size_t>(code)];
    }
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t code = cells.codes[first + i];
      cells.codes[row + i] = code < 0 ? -1 : code_of[static_cast<std::size_t>(code)];
    }
    row += count;
  }
  cells.states.resize(parsed.rows);
  cells.codes.resize(parsed.rows);
  joined.column = Column::coded(name, std::move(cells.codes), words, std::move(cells.states));
  return joined;
}

ColumnEvidence evidence_of(const Column& column) {
  ColumnEvidence evidence;
  for (const std::string& word : column.words()) {
    const std::string_view cell = trim(word);
    if (cell != kNone) evidence.add(cell);
    if (evidence.words) break;
  }
  return evidence;
}

Column numbers_from_words(const Column& column, char decimal_mark) {
  std::vector<ParsedNumber> meanings;
  meanings.reserve(column.words().size());
  for (const std::string& word : column.words()) {
    meanings.push_back(parse_number(trim(word), decimal_mark));
  }
  std::vector<double> numbers(column.size());
  std::vector<CellState> states(column.states().begin(), column.states().end());
  const std::span<const std::int32_t> codes = column.codes();
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (codes[row] < 0) continue;
    const ParsedNumber& meaning = meanings[static_cast<std::size_t>(codes[row])];
    if (meaning.kind == NumberKind::kNumber) {
      numbers[row] = meaning.value;
    } else {
      states[row] = meaning.kind == NumberKind::kInfinity ? state_of_number(meaning.value)
                                                          : CellState::kMissing;
    }
  }
  return Column::numbers(column.name(), std::move(numbers), std::move(states));
}

}  // namespace knockout
