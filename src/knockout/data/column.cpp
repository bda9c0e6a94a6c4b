// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/column.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/data/word_table.h"

namespace knockout {
namespace {

template <typename T>
std::vector<T> pick(const std::vector<T>& values, std::span<const std::size_t> rows) {
  std::vector<T> picked;
  if (values.empty()) return picked;  // the half that the column does not use
  picked.reserve(rows.size());
  for (const std::size_t row : rows) picked.push_back(values[row]);
  return picked;
}

}  // namespace

Column Column::numbers(std::string name, std::vector<double> values) {
  std::vector<CellState> states(values.size(), CellState::kObserved);
  return numbers(std::move(name), std::move(values), std::move(states));
}

Column Column::numbers(std::string name, std::vector<double> values,
                       std::vector<CellState> states) {
  Column column = sound_numbers(std::move(name), std::move(values), std::move(states));
  // Without a branch, which gaps at random would make expensive.
  double* const numbers = column.numbers_.data();
  CellState* const cells = column.states_.data();
  const std::size_t rows = column.size();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows; ++row) {
    const double number = numbers[row];
    const bool given = cells[row] == CellState::kObserved;
    const bool finite = std::abs(number) < kInfinity;
    const CellState limit = number < 0 ? CellState::kBelowLimit : CellState::kAboveLimit;
    const CellState gap = number != number ? CellState::kMissing : limit;  // NaN or infinity
    cells[row] = static_cast<int>(given) & static_cast<int>(!finite) ? gap : cells[row];
    numbers[row] = static_cast<int>(given) & static_cast<int>(finite) ? number : 0.0;
  }
  return column;
}

Column Column::sound_numbers(std::string name, std::vector<double> values,
                             std::vector<CellState> states) {
  Column column;
  column.name_ = std::move(name);
  column.numbers_ = std::move(values);
  column.states_ = std::move(states);
  column.check_lengths(column.numbers_.size(), "numbers");
  return column;
}

Column Column::words(std::string name, const std::vector<std::optional<std::string>>& cells) {
  WordTable words;
  std::vector<std::int32_t> codes(cells.size(), -1);
  std::vector<CellState> states(cells.size(), CellState::kMissing);
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (!cells[row]) continue;
    codes[row] = words.find_or_add(*cells[row]);
    states[row] = CellState::kObserved;
  }
  return coded(std::move(name), std::move(codes), words, std::move(states));
}

Column Column::words(std::string name, const std::vector<std::string>& cells,
                     std::vector<CellState> states) {
  WordTable words;
  std::vector<std::int32_t> codes(cells.size(), -1);
  for (std::size_t row = 0; row < std::min(cells.size(), states.size()); ++row) {
    if (states[row] == CellState::kObserved) codes[row] = words.find_or_add(cells[row]);
  }
  return coded(std::move(name), std::move(codes), words, std::move(states));
}

Column Column::coded(std::string name, std::vector<std::int32_t> codes,
                     std::vector<std::string> words) {
  std::vector<CellState> states(codes.size());
  std::transform(codes.begin(), codes.end(), states.begin(), [](std::int32_t code) {
    return code == -1 ? CellState::kMissing : CellState::kObserved;
  });
  return coded(std::move(name), std::move(codes), std::move(words), std::move(states));
}

Column Column::coded(std::string name, std::vector<std::int32_t> codes,
                     std::vector<std::string> words, std::vector<CellState> states) {
  WordTable distinct;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::int32_t code = distinct.find_or_add(words[i]);
    if (static_cast<std::size_t>(code) == i) continue;
    throw DataError(
        fmt::format("column \"{}\": the word \"{}\" is listed twice, with the codes {} and {}.\n"
                    "  List every word once and give its cells one code.",
                    name, words[i], code, i));
  }
  Column column;
  column.name_ = std::move(name);
  column.is_text_ = true;
  column.codes_ = std::move(codes);
  column.words_ = std::move(words);
  column.states_ = std::move(states);
  column.check_codes();
  return column;
}

Column Column::coded(std::string name, std::vector<std::int32_t> codes, const WordTable& words,
                     std::vector<CellState> states) {
  Column column;
  column.name_ = std::move(name);
  column.is_text_ = true;
  column.codes_ = std::move(codes);
  column.words_.assign(words.words().begin(), words.words().end());
  column.states_ = std::move(states);
  column.check_codes();
  return column;
}

Column Column::missing(std::string name, std::size_t rows) {
  Column column;
  column.name_ = std::move(name);
  column.numbers_.resize(rows);
  column.states_.assign(rows, CellState::kMissing);
  return column;
}

void Column::throw_observed_gap() const {
  throw DataError(
      fmt::format("column \"{}\": a cell cannot be emptied and observed at once.\n"
                  "  Give a state that stands for a gap.",
                  name_));
}

void Column::throw_words() const {
  throw DataError(
      fmt::format("column \"{}\": it holds words, and a number was to be written into it.\n"
                  "  Make a new column with Column::numbers().",
                  name_));
}

void Column::throw_no_such_word(std::int32_t code) const {
  throw DataError(fmt::format("column \"{}\": there is no word with the code {}: it has {} words.",
                              name_, code, words_.size()));
}

void Column::check_lengths(std::size_t cells, const char* what) const {
  if (cells == states_.size()) return;
  throw DataError(
      fmt::format("column \"{}\": {} {} with {} states.\n"
                  "  Give one of each per row.",
                  name_, cells, what, states_.size()));
}

void Column::check_codes() {
  check_lengths(codes_.size(), "codes");
  const std::size_t words = words_.size();
  for (std::size_t row = 0; row < codes_.size(); ++row) {
    if (!observed(row)) {
      codes_[row] = -1;
    } else if (static_cast<std::uint32_t>(codes_[row]) >= words) {  // -1 is large without a sign
      throw DataError(
          fmt::format("column \"{}\", row {}: the code {} where there are {} words.\n"
                      "  An observed cell has a code from 0 to {}; mark other cells as missing.",
                      name_, row + 1, codes_[row], words, static_cast<std::int64_t>(words) - 1));
    }
  }
}

void Column::fill_gaps(double number) {
  if (is_text_) throw_words();
  if (!std::isfinite(number)) {
    throw DataError(
        fmt::format("column \"{}\": {} is no number to fill gaps with.\n"
                    "  Give a finite one.",
                    name_, number));
  }
  // Without a branch, which gaps at random would make expensive.
  double* const numbers = numbers_.data();
  const CellState* const states = states_.data();
  const std::size_t rows = size();
  for (std::size_t row = 0; row < rows; ++row) {
    numbers[row] = states[row] == CellState::kObserved ? numbers[row] : number;
  }
  std::fill(states_.begin(), states_.end(), CellState::kObserved);
}

Column Column::take_rows(std::span<const std::size_t> rows) const {
  Column taken;
  taken.name_ = name_;
  taken.is_text_ = is_text_;
  taken.numbers_ = pick(numbers_, rows);
  taken.codes_ = pick(codes_, rows);
  taken.words_ = words_;
  taken.states_ = pick(states_, rows);
  return taken;
}

}  // namespace knockout
