// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// Whether a word means missing even among other words: "-", ".", n.a., n/k.
bool says_missing_among_words(std::string_view word);

/// Whether a word is a test's result such as +, ++ or +/-: beside those, "-" is one too.
bool is_plus_or_minus(std::string_view word);

/// Whether a word is one of those that the readers of files take as missing in silence.
bool is_reader_word(std::string_view word);

/// The words of a column by what they are to one way of reading it.
struct SortedWords {
  std::size_t readable_cells = 0;      ///< Read as numbers or dates.
  std::size_t readable_words = 0;      ///< Distinct values, up to ten.
  std::vector<WordCount> limits = {};  ///< "<0.5"
  std::vector<WordCount> gaps = {};    ///< says_missing()
  std::vector<WordCount> others = {};  ///< Everything else.

  std::size_t observed() const {
    return readable_cells + cells_of(limits) + cells_of(gaps) + cells_of(others);
  }
};

/// Whether a column is what its readable cells are, so that all other words in it are gaps: at
/// least half of its cells are readable and the others are few.
bool others_are_strays(const SortedWords& words);

}  // namespace knockout
