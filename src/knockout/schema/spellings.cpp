// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/spellings.h"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/wording.h"
#include "knockout/schema/column_profile.h"

namespace knockout {
namespace {

constexpr std::size_t kShownWords = 3;

/// A word without capitals (also À to Þ), with single blanks between its parts and none around
/// them.
std::string folded(const std::string& word) {
  std::string fold;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const bool after_c3 = !fold.empty() && fold.back() == '\xC3';
    if (c == ' ' || c == '\t') {
      if (!fold.empty() && fold.back() != ' ') fold += ' ';
    } else if (c >= 'A' && c <= 'Z') {
      fold += static_cast<char>(c - 'A' + 'a');
    } else if (after_c3 && byte >= 0x80 && byte <= 0x9E && byte != 0x97) {  // 0x97 is a times sign
      fold += static_cast<char>(byte + 0x20);
    } else {
      fold += c;
    }
  }
  if (!fold.empty() && fold.back() == ' ') fold.pop_back();
  return fold;
}

struct SpelledWord {
  std::string word;
  std::size_t cells = 0;
};

/// `"Yes" (12 cells), "yes" (1 cell)`.
std::string listed(std::vector<SpelledWord> spellings) {
  std::stable_sort(spellings.begin(), spellings.end(),
                   [](const auto& a, const auto& b) { return a.cells > b.cells; });
  std::vector<std::string> items;
  items.reserve(spellings.size());
  for (const auto& [word, cells] : spellings) {
    items.push_back(fmt::format("\"{}\" ({})", word, plural(cells, "cell")));
  }
  return fmt::format("{}", fmt::join(items, ", "));
}

}  // namespace

std::string spellings_text(const Column& column) {
  if (!column.is_text()) return "";
  std::map<std::string, std::vector<SpelledWord>> words;
  for (const auto& [word, cells] : count_labels(column)) {
    words[folded(word)].push_back({word, cells});
  }
  std::vector<std::string> shown;
  std::size_t several = 0;
  for (const auto& [fold, spellings] : words) {
    if (spellings.size() < 2) continue;
    if (++several <= kShownWords) shown.push_back(listed(spellings));
  }
  if (several == 0) return "";
  const std::string more =
      several > kShownWords ? fmt::format(" and {} more", several - kShownWords) : "";
  return fmt::format(
      "\"{}\" spells the same in several ways, which are taken as different: {}{}. If they mean "
      "the "
      "same, write them alike.",
      column.name(), fmt::join(shown, "; "), more);
}

}  // namespace knockout
