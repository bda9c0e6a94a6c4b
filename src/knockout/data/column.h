// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace knockout {

class WordTable;

/// Whether a cell holds a value and, if not, whether the gap itself may carry information.
enum class CellState : std::uint8_t {
  kObserved = 0,
  kMissing = 1,  ///< Nothing is known about why.
  /// The cell says that its absence is informative (not applicable, refused, ...).
  kMissingForAReason = 2,
  // The same, and what the reason is: the two tell opposite things of the value.
  kBelowLimit = 3,  ///< Too small to measure or to tell ("<0.5").
  kAboveLimit = 4,  ///< Too large ("> 90").
};
inline constexpr std::size_t kCellStates = 5;

/// Whether a gap says itself that it is for a reason, whichever.
constexpr bool is_said(CellState state) { return state >= CellState::kMissingForAReason; }

/// NaN is missing, an infinity lies beyond a limit.
inline CellState state_of_number(double number) {
  if (std::isfinite(number)) return CellState::kObserved;
  if (std::isnan(number)) return CellState::kMissing;
  return number < 0 ? CellState::kBelowLimit : CellState::kAboveLimit;
}

/// One named column: numbers or words, never both, and a state per row.
///
/// A column is sound from the start and stays so: every observed number is finite, every observed
/// word has a code, no word is listed twice, all parts have one entry per row. What is given to a
/// factory is checked; a DataError says what is wrong.
///   Column::numbers("age", {63, NAN, 71});
///   Column::words("sex", {"f", std::nullopt, "m"});
class Column {
 public:
  /// Without a name and without rows.
  Column() = default;

  /// NaN is missing; -infinity lies below a limit and +infinity above one.
  static Column numbers(std::string name, std::vector<double> values);
  /// The same with a mask: what stands where the state is not kObserved does not matter.
  static Column numbers(std::string name, std::vector<double> values,
                        std::vector<CellState> states);

  /// The same without a look at the values. REQUIRES: finite where observed, 0 elsewhere.
  static Column sound_numbers(std::string name, std::vector<double> values,
                              std::vector<CellState> states);

  /// std::nullopt is missing. Words get codes in the order in which they first appear.
  static Column words(std::string name, const std::vector<std::optional<std::string>>& cells);
  /// The same with a mask: what stands where the state is not kObserved does not matter.
  static Column words(std::string name, const std::vector<std::string>& cells,
                      std::vector<CellState> states);

  /// Words that have codes already: `codes` holds a position in `words` per row. Without states, a
  /// code of -1 is missing. With them, only observed cells need a code. Words may go unused.
  static Column coded(std::string name, std::vector<std::int32_t> codes,
                      std::vector<std::string> words);
  static Column coded(std::string name, std::vector<std::int32_t> codes,
                      std::vector<std::string> words, std::vector<CellState> states);
  /// The same with words that are known to be distinct.
  static Column coded(std::string name, std::vector<std::int32_t> codes, const WordTable& words,
                      std::vector<CellState> states);

  /// Nothing but gaps; numbers, for want of words.
  static Column missing(std::string name, std::size_t rows);

  const std::string& name() const { return name_; }
  bool is_text() const { return is_text_; }
  std::size_t size() const { return states_.size(); }
  CellState state(std::size_t row) const { return states_[row]; }
  bool observed(std::size_t row) const { return states_[row] == CellState::kObserved; }

  /// Numeric columns: the number, 0 where not observed.
  double number(std::size_t row) const { return numbers_[row]; }
  /// Text columns. REQUIRES: observed(row).
  const std::string& word(std::size_t row) const {
    return words_[static_cast<std::size_t>(codes_[row])];
  }

  /// One per row of a numeric column, 0 where not observed; none for text.
  std::span<const double> numbers() const { return numbers_; }
  /// Position in words() per row of a text column, -1 where not observed; none for numbers.
  std::span<const std::int32_t> codes() const { return codes_; }
  /// The distinct words of a text column, used or not; none for numbers.
  std::span<const std::string> words() const { return words_; }
  /// One per row.
  std::span<const CellState> states() const { return states_; }

  // What changes a column throws DataError where it would break it, std::out_of_range for rows that
  // it does not have.

  /// Empties a cell. `state` says why; not kObserved.
  void set_missing(std::size_t row, CellState state = CellState::kMissing) {
    if (state == CellState::kObserved) throw_observed_gap();
    states_.at(row) = state;
    if (is_text_) {
      codes_[row] = -1;
    } else {
      numbers_[row] = 0.0;
    }
  }
  /// Writes a cell of a numeric column; NaN and infinities are gaps, as in numbers().
  void set_number(std::size_t row, double number) {
    if (is_text_) throw_words();
    states_.at(row) = state_of_number(number);
    numbers_[row] = observed(row) ? number : 0.0;
  }
  /// Writes a cell of a text column: a position in words(); a negative one is missing.
  void set_code(std::size_t row, std::int32_t code) {
    if (!is_text_ || code >= static_cast<std::int64_t>(words_.size())) throw_no_such_word(code);
    states_.at(row) = code < 0 ? CellState::kMissing : CellState::kObserved;
    codes_[row] = code < 0 ? -1 : code;
  }
  /// Writes a finite number into every gap of a numeric column.
  void fill_gaps(double number);

  bool operator==(const Column&) const = default;

  /// The given rows, in the given order. Words keep their codes.
  Column take_rows(std::span<const std::size_t> rows) const;

 private:
  [[noreturn]] void throw_observed_gap() const;
  [[noreturn]] void throw_words() const;
  [[noreturn]] void throw_no_such_word(std::int32_t code) const;
  void check_lengths(std::size_t cells, const char* what) const;
  void check_codes();

  std::string name_;
  bool is_text_ = false;
  std::vector<double> numbers_;
  std::vector<std::int32_t> codes_;
  std::vector<std::string> words_;
  std::vector<CellState> states_;
};

}  // namespace knockout
