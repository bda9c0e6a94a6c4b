// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/column.h"

namespace knockout {

/// A distinct word of a column and the number of its cells.
struct WordCount {
  std::string_view word;
  std::size_t cells = 0;
};

/// The words that cells of a text column hold, in order of their codes. Looks at the column, which
/// must outlive them.
std::vector<WordCount> count_words(const Column& column);

/// All cells of some words.
std::size_t cells_of(const std::vector<WordCount>& words);

/// `"n/a" (12 cells), "x" (1 cell) and 3 more`: the most frequent first.
std::string listed_words(std::vector<WordCount> words, std::size_t shown = 3);

}  // namespace knockout
