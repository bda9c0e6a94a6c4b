// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/missing_words.h"

#include <string>
#include <unordered_set>

#include "knockout/base/ascii.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestWord = 24;

const std::unordered_set<std::string>& missing_words() {
  // clang-format off
  static const std::unordered_set<std::string> words = {
      "n/a", "na", "n.a.", "n.a", "nan", "<na>", "#n/a", "nat",
      "null", "(null)", "#null!", "\\n", "none", "nil",
      "#div/0!", "#value!", "#ref!", "#name?", "#num!", "error",
      ".", "..", "...", "-", "--", "---", "–", "—", "?", "??", "*", "**", "x", "xx",
      "unknown", "unk", "n/k", "nk", "not known", "missing", "miss", "undefined",
      "blank", "(blank)", "empty", "no data", "refused", "declined",
      "not done", "not available", "not applicable", "not recorded", "not reported",
      "not measured", "not tested",
      "nd", "n.d.", "n.d", "n/d", "tbd", "tba", "pending",
      "unbekannt", "k.a.", "k. a.", "keine angabe", "inconnu", "desconocido", "sconosciuto",
      "onbekend", "s/d", "sin dato",
      ":", ": c", ":c", ": u", ":u", ": z", ":z",  // statistical offices
      "(d)", "(s)", "(x)", "(na)", "[c]", "[x]", "[z]", "[u]", "[w]", "[low]",
      "&nbsp;", "&#160;"};
  // clang-format on
  return words;
}

}  // namespace

bool says_missing(std::string_view word) {
  if (word.size() > kLongestWord) return false;
  const std::string lower = ascii_lower(std::string(word));
  const bool stata = lower.size() == 2 && lower[0] == '.' && lower[1] >= 'a' && lower[1] <= 'z';
  return stata || missing_words().contains(lower);
}

}  // namespace knockout
