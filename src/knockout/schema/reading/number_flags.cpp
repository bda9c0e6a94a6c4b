// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_flags.h"

#include <algorithm>
#include <array>

namespace knockout {
namespace {

/// Longer ones before those that they begin with.
constexpr std::array<std::string_view, 9> kLeading = {
    "~", "≈", "ca.", "ca ", "circa ", "approx.", "approx ", "about ", "*"};
constexpr std::array<std::string_view, 12> kTrailing = {"***", "**", "*",  "††", "†", "‡",
                                                        "§",   "¶",  "##", "#",  "↑", "↓"};

/// Laboratories: high and low. Statistical offices: break, estimated, provisional, revised,
/// unreliable, not applicable.
constexpr std::array<std::string_view, 18> kSure = {"H",  "HH", "LL", "(H)", "(L)",  "(HH)",
                                                    "b",  "e",  "p",  "r",   "u",    "z",
                                                    "be", "bp", "ep", "bu",  "(LL)", "(p)"};
/// The same, where they stand beside one of the others: litres, seconds, days, amperes.
constexpr std::array<std::string_view, 9> kBesideOthers = {"L", "A", "N", "c", "d",
                                                           "f", "n", "s", "de"};

template <std::size_t Size>
bool is_flag_among(const std::array<std::string_view, Size>& flags, std::string_view text) {
  return std::find(flags.begin(), flags.end(), text) != flags.end();
}

void cut_front_blanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

}  // namespace

std::string_view take_leading_flag(std::string_view& text) {
  for (const std::string_view flag : kLeading) {
    if (!text.starts_with(flag)) continue;
    text.remove_prefix(flag.size());
    cut_front_blanks(text);
    return flag.back() == ' ' ? flag.substr(0, flag.size() - 1) : flag;
  }
  return {};
}

std::string_view take_trailing_flag(std::string_view& text) {
  for (const std::string_view flag : kTrailing) {
    if (!text.ends_with(flag)) continue;
    text.remove_suffix(flag.size());
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return flag;
  }
  // "46.4 [r]", "12 [note 3]": nothing else stands in brackets behind a number.
  if (text.ends_with(']')) {
    const std::size_t bracket = text.rfind('[');
    if (bracket == std::string_view::npos) return {};
    const std::string_view flag = text.substr(bracket);
    text = text.substr(0, bracket);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return flag;
  }
  // "5.6 mmol/L H": behind a unit, only laboratories write letters.
  const std::size_t blank = text.rfind(' ');
  if (blank == std::string_view::npos || blank == 0) return {};
  const std::string_view last = text.substr(blank + 1);
  if (last != "H" && last != "L" && last != "HH" && last != "LL") return {};
  text = text.substr(0, blank);
  return last;
}

bool is_letter_flag(std::string_view letters) {
  return is_flag_among(kSure, letters) || is_flag_among(kBesideOthers, letters);
}

bool are_letter_flags(const std::vector<std::string>& letters) {
  return std::any_of(letters.begin(), letters.end(),
                     [](const std::string& letter) { return is_flag_among(kSure, letter); });
}

bool needs_decimals(std::string_view letters) {
  return letters.find_first_of("HL") == std::string_view::npos;
}

}  // namespace knockout
