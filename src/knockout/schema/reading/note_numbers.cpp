// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/note_numbers.h"

#include <algorithm>

#include "knockout/data/csv_number.h"
#include "knockout/schema/identifiers.h"
#include "knockout/schema/reading/number_like.h"
#include "knockout/schema/reading/reading_notes.h"
#include "knockout/schema/reading/sentinels.h"

namespace knockout {
namespace {

void note_limits(const std::string& column, const NumbersFound& found, std::vector<Note>& notes) {
  std::vector<WordCount> limits, infinite;
  for (const WordCount& word : found.words.limits) {
    const bool number = parse_number(word.word, '.').kind == NumberKind::kInfinity;
    (number ? infinite : limits).push_back(word);
  }
  if (!limits.empty()) notes.push_back(detection_limit_note(column, found, limits));
  if (!infinite.empty()) notes.push_back(infinite_note(column, cells_of(infinite)));
}

/// Cells of a numeric column that were infinite. Other reasons are those that somebody said.
std::size_t infinite_cells(const Column& column, const SaidWords& said) {
  if (said.has_reasons()) return 0;
  const auto states = column.states();
  return static_cast<std::size_t>(
      std::count_if(states.begin(), states.end(), [](CellState state) { return is_said(state); }));
}

void note_sentinels(const std::string& column, std::span<const double> numbers,
                    std::vector<Note>& notes) {
  const std::vector<Sentinel> sentinels = find_sentinels(numbers);
  if (!sentinels.empty()) notes.push_back(sentinel_note(column, sentinels));
}

}  // namespace

void note_numbers(const std::string& column, const NumbersFound& found,
                  std::span<const double> numbers, std::vector<Note>& notes) {
  if (found.format == NumberFormat{.decimal_mark = ','}) {
    notes.push_back(decimal_comma_note(found));
  } else if (!found.clothed_word.empty()) {
    notes.push_back(number_format_note(column, found));
  }
  if (!found.flagged.empty()) notes.push_back(flags_note(column, found));
  const bool shares = found.only_shares && !found.without_percent.empty();
  if (shares && !found.clothed_word.empty()) notes.push_back(percent_mix_note(column, found));
  note_limits(column, found, notes);
  note_sentinels(column, numbers, notes);
}

void note_plain_numbers(const Column& column, std::span<const double> numbers,
                        const SaidWords& said, std::vector<Note>& notes) {
  const std::size_t infinite = infinite_cells(column, said);
  if (infinite > 0) notes.push_back(infinite_note(column.name(), infinite));
  note_sentinels(column.name(), numbers, notes);
}

void note_number_like(const std::string& column, const std::vector<WordCount>& words,
                      const NumbersFound& found, std::vector<Note>& notes) {
  if (counts_like_names(words.size(), cells_of(words))) return;
  const std::string why = why_no_numbers(words, found);
  if (!why.empty()) notes.push_back(number_like_note(column, why));
}

}  // namespace knockout
