// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/word_counts.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/wording.h"

namespace knockout {

std::vector<WordCount> count_words(const Column& column) {
  std::vector<std::size_t> cells(column.words().size(), 0);
  for (const std::int32_t code : column.codes()) {
    if (code >= 0) ++cells[static_cast<std::size_t>(code)];
  }
  std::vector<WordCount> counts;
  counts.reserve(cells.size());
  for (std::size_t word = 0; word < cells.size(); ++word) {
    if (cells[word] > 0) counts.push_back({column.words()[word], cells[word]});
  }
  return counts;
}

std::size_t cells_of(const std::vector<WordCount>& words) {
  std::size_t cells = 0;
  for (const WordCount& word : words) cells += word.cells;
  return cells;
}

std::string listed_words(std::vector<WordCount> words, std::size_t shown) {
  std::stable_sort(words.begin(), words.end(),
                   [](const auto& a, const auto& b) { return a.cells > b.cells; });
  std::vector<std::string> items;
  for (std::size_t i = 0; i < std::min(shown, words.size()); ++i) {
    items.push_back(fmt::format("\"{}\" ({})", words[i].word, plural(words[i].cells, "cell")));
  }
  std::string list = fmt::format("{}", fmt::join(items, ", "));
  if (words.size() <= shown) return list;
  return fmt::format("{} and {} more", list, with_thousands(words.size() - shown));
}

}  // namespace knockout
