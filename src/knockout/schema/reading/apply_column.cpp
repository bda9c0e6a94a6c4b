// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/apply_column.h"

#include <algorithm>
#include <optional>
#include <string>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/missing_words.h"
#include "knockout/data/word_table.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/reading/limits.h"
#include "knockout/schema/reading/outer_blanks.h"
#include "knockout/schema/reading/stray_words.h"

namespace knockout {
namespace {

using ReadForm = ColumnReading::Form;

/// What a word of a column stands for.
struct WordMeaning {
  CellState state = CellState::kObserved;
  bool unreadable = false;  ///< Missing, because nobody knows what it says.
  double number = 0.0;
  std::string date = {};
};

WordMeaning gap(CellState state) { return {.state = state}; }

bool is_zero_word(std::string_view word) {  // 0000-00-00
  return word.size() >= 8 && word.find_first_not_of("0-/. :") == std::string_view::npos;
}

/// Reads words as a column of a known reading does.
class WordReader {
 public:
  WordReader(const ColumnReading& reading, const SaidWords& said, bool usual_gaps)
      : reading_(reading),
        said_(said),
        usual_gaps_(usual_gaps),
        gap_words_(reading.gap_words.begin(), reading.gap_words.end()) {}

  WordMeaning meaning_of(const std::string& word) const {
    if (const auto state = said_.state_of(word)) return gap(*state);
    if (gap_words_.contains(word)) return gap(CellState::kMissing);
    if (usual_gaps_ && word == "None" && !reading_.none_is_a_word) return gap(CellState::kMissing);
    switch (reading_.form) {
      case ReadForm::kNumbers:
        return number(word);
      case ReadForm::kDates:
        return date(word);
      case ReadForm::kWords:
        break;
    }
    return {};
  }

 private:
  WordMeaning number(const std::string& word) const {
    if (const auto value = read_new_number(word, reading_.numbers)) {
      if (const auto state = said_.state_of(*value)) return gap(*state);
      return {.number = *value};
    }
    if (usual_gaps_ && says_missing(word)) return gap(CellState::kMissing);
    if (const auto limit = find_limit(word, reading_.numbers)) return gap(*limit);
    return {.state = CellState::kMissing, .unreadable = true};
  }

  WordMeaning date(const std::string& word) const {
    if (auto iso = read_date(word, reading_.dates)) return {.date = std::move(*iso)};
    if (usual_gaps_ && (says_missing(word) || is_zero_word(word))) return gap(CellState::kMissing);
    return {.state = CellState::kMissing, .unreadable = true};
  }

  const ColumnReading& reading_;
  const SaidWords& said_;
  const bool usual_gaps_;
  const HashSet<std::string> gap_words_;
};

/// Counts what could not be read.
class Unreadable {
 public:
  explicit Unreadable(AppliedColumn& applied) : applied_(applied) {}

  void add(const std::string& word, std::size_t row) {
    if (applied_.unreadable.empty()) applied_.first_row = row;
    const auto [place, is_new] = place_of_.emplace(word, applied_.unreadable.size());
    if (is_new) {
      applied_.unreadable.push_back(word);
      applied_.unreadable_cells.push_back(0);
    }
    ++applied_.unreadable_cells[place->second];
  }

 private:
  AppliedColumn& applied_;
  HashMap<std::string, std::size_t> place_of_;
};

std::vector<WordMeaning> meanings_of(const Column& column, const WordReader& reader) {
  std::vector<bool> used(column.words().size(), false);
  for (const std::int32_t code : column.codes()) {
    if (code >= 0) used[static_cast<std::size_t>(code)] = true;
  }
  std::vector<WordMeaning> meanings(used.size());
  for (std::size_t word = 0; word < used.size(); ++word) {
    if (used[word]) meanings[word] = reader.meaning_of(column.words()[word]);
  }
  return meanings;
}

Column numbers_of_words(const Column& column, const std::vector<WordMeaning>& meanings,
                        Unreadable& unreadable) {
  std::vector<double> numbers(column.size(), 0.0);
  std::vector<CellState> states(column.states().begin(), column.states().end());
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const WordMeaning& meaning = meanings[static_cast<std::size_t>(column.codes()[row])];
    states[row] = meaning.state;
    numbers[row] = meaning.number;
    if (meaning.unreadable) unreadable.add(column.word(row), row);
  }
  return Column::numbers(column.name(), std::move(numbers), std::move(states));
}

Column dates_of_words(const Column& column, const std::vector<WordMeaning>& meanings,
                      Unreadable& unreadable) {
  WordTable dates;  // 1/2/2020 and 01/02/2020 are one
  std::vector<std::int32_t> code_of(meanings.size(), -1);
  std::vector<std::int32_t> codes(column.size(), -1);
  std::vector<CellState> states(column.states().begin(), column.states().end());
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const auto word = static_cast<std::size_t>(column.codes()[row]);
    const WordMeaning& meaning = meanings[word];
    states[row] = meaning.state;
    if (meaning.unreadable) unreadable.add(column.word(row), row);
    if (meaning.state != CellState::kObserved) continue;
    if (code_of[word] < 0) code_of[word] = dates.find_or_add(meaning.date);
    codes[row] = code_of[word];
  }
  return Column::coded(column.name(), std::move(codes), dates, std::move(states));
}

Column without_gap_words(Column column, const std::vector<WordMeaning>& meanings) {
  const bool any = std::any_of(meanings.begin(), meanings.end(), [](const WordMeaning& meaning) {
    return meaning.state != CellState::kObserved;
  });
  if (!any) return column;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const CellState state = meanings[static_cast<std::size_t>(column.codes()[row])].state;
    if (state != CellState::kObserved) column.set_missing(row, state);
  }
  return column;
}

/// Dates that a file or a program holds as numbers.
Column dates_of_numbers(const Column& column, const ColumnReading& reading,
                        Unreadable& unreadable) {
  HashMap<double, std::optional<std::string>> date_of;
  WordTable dates;
  std::vector<std::int32_t> codes(column.size(), -1);
  std::vector<CellState> states(column.states().begin(), column.states().end());
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const double number = column.number(row);
    const auto [found, is_new] = date_of.try_emplace(number);
    if (is_new) found->second = read_date(number, reading.dates);
    if (found->second) {
      codes[row] = dates.find_or_add(*found->second);
    } else {
      states[row] = CellState::kMissing;
      const std::string label = label_of_number(number);
      const std::vector<std::string>& known = reading.gap_words;
      if (std::find(known.begin(), known.end(), label) == known.end()) unreadable.add(label, row);
    }
  }
  return Column::coded(column.name(), std::move(codes), dates, std::move(states));
}

/// Codes that a file or a program holds as numbers.
Column words_of_numbers(const Column& column) {
  HashMap<double, std::string> label_of;
  WordTable words;  // looks at the labels
  std::vector<std::int32_t> codes(column.size(), -1);
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    const auto [found, is_new] = label_of.try_emplace(column.number(row));
    if (is_new) found->second = label_of_number(column.number(row));
    codes[row] = words.find_or_add(found->second);
  }
  return Column::coded(column.name(), std::move(codes), words,
                       {column.states().begin(), column.states().end()});
}

Column without_said_numbers(Column column, const SaidWords& said) {
  if (!said.has_numbers()) return column;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (!column.observed(row)) continue;
    if (const auto state = said.state_of(column.number(row))) column.set_missing(row, *state);
  }
  return column;
}

}  // namespace

Column without_said_words(Column column, const SaidWords& said) {
  if (said.empty()) return column;
  if (!column.is_text()) return without_said_numbers(std::move(column), said);
  const ColumnReading plain_words;
  const std::vector<WordMeaning> meanings =
      meanings_of(column, WordReader(plain_words, said, false));
  return without_gap_words(std::move(column), meanings);
}

AppliedColumn apply_reading(Column column, const ColumnReading& reading, const SaidWords& said,
                            bool usual_gaps) {
  AppliedColumn applied;
  Unreadable unreadable(applied);
  if (!column.is_text()) {
    column = without_said_numbers(std::move(column), said);
    applied.column = reading.form == ReadForm::kDates
                         ? dates_of_numbers(column, reading, unreadable)
                     : reading.codes ? words_of_numbers(column)
                                     : std::move(column);
    return applied;
  }
  if (has_outer_blanks(column)) column = without_outer_blanks(column);
  const std::vector<WordMeaning> meanings =
      meanings_of(column, WordReader(reading, said, usual_gaps));
  switch (reading.form) {
    case ReadForm::kNumbers:
      applied.column = numbers_of_words(column, meanings, unreadable);
      break;
    case ReadForm::kDates:
      applied.column = dates_of_words(column, meanings, unreadable);
      break;
    case ReadForm::kWords:
      applied.column = without_gap_words(std::move(column), meanings);
      break;
  }
  return applied;
}

}  // namespace knockout
