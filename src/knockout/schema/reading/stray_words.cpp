// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/stray_words.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace knockout {
namespace {

constexpr std::size_t kFewStrays = 3;  ///< Distinct ones.
constexpr std::size_t kNumbersForOneStray = 5;
constexpr std::size_t kManyValues = 10;  ///< So many different numbers are no codes.

bool has_figure(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// 12a among house numbers, 1.2.3 among versions: a word with digits says that the others may not
/// be numbers either, unless it is as rare as a slip of the keyboard.
bool are_slips(const std::vector<WordCount>& words, std::size_t readable_cells) {
  if (words.empty()) return true;
  const std::size_t cells = cells_of(words);
  if (words.size() == 1) return 20 * cells <= readable_cells;
  return words.size() <= kFewStrays && 100 * cells <= readable_cells;
}

}  // namespace

bool says_missing_among_words(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {"-",   "--",  ".", "n.a.", "N.A.",
                                                             "n/k", "N/K", "–", "—"};
  return words.contains(word);
}

bool is_plus_or_minus(std::string_view word) {
  return !word.empty() && word.size() <= 5 && word.find_first_not_of("+-/()") == word.npos &&
         word.find('+') != word.npos;
}

bool is_reader_word(std::string_view word) {
  static const std::unordered_set<std::string_view> words = {
      "NA", "N/A",  "n/a",  "NaN", "nan",    "NAN",     "null",    "NULL", "None",
      "?",  "#N/A", "<NA>", "NaT", "#NULL!", "#DIV/0!", "#VALUE!", "\\N"};
  return words.contains(word);
}

bool others_are_strays(const SortedWords& words) {
  const std::size_t observed = words.observed();
  const std::size_t readable = words.readable_cells + cells_of(words.limits);
  // With many different numbers nobody takes the column for codes, however often "." stands there.
  const std::size_t judged =
      words.readable_words >= kManyValues ? observed - cells_of(words.gaps) : observed;
  if (2 * readable < judged) return false;
  const std::size_t stray_cells = cells_of(words.others);
  if (stray_cells == 0) return true;
  if (words.others.size() > kFewStrays) return false;
  const bool one_of_many = stray_cells == 1 && words.readable_cells >= kNumbersForOneStray;
  // Ten different numbers are no codes: a word beside them says why there is none.
  const bool many_values = words.readable_words >= kManyValues && 4 * stray_cells <= observed;
  if (10 * stray_cells > observed && !one_of_many && !many_values) return false;
  std::vector<WordCount> with_figures;
  for (const WordCount& other : words.others) {
    if (has_figure(other.word)) with_figures.push_back(other);
  }
  return are_slips(with_figures, words.readable_cells);
}

}  // namespace knockout
