// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/no_days.h"

#include <algorithm>
#include <array>
#include <string>

#include "knockout/schema/reading/month_names.h"

namespace knockout {
namespace {

constexpr std::string_view kMarks = "-/. ";

bool is_run_of(std::string_view part, char c) {
  return !part.empty() && part.find_first_not_of(c) == std::string_view::npos;
}

/// 0000-00-00 00:00:00 and 99/99/9999: one digit over and over.
bool is_filler(std::string_view word) {
  const std::size_t first = word.find_first_of("0123456789");
  if (word.size() < 8 || first == std::string_view::npos) return false;
  const std::string allowed = std::string("-/. :") + word[first];
  return word.find_first_not_of(allowed) == std::string_view::npos &&
         word.find_first_of(kMarks) != std::string_view::npos;
}

enum class Part { kKnown, kUnknown, kOther };

/// What stands for a day, a month or a year.
Part part_of_date(std::string_view part) {
  constexpr std::array<std::string_view, 6> kUnknown = {"un", "unk", "uk", "nk", "unkn", "00"};
  std::string lower(part);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  if (std::find(kUnknown.begin(), kUnknown.end(), lower) != kUnknown.end()) return Part::kUnknown;
  for (const char c : {'x', '?', 'u', '_', '9'}) {
    if (part.size() >= 2 && is_run_of(lower, c)) return Part::kUnknown;
  }
  if (month_of_name(part) != 0) return Part::kKnown;
  const bool number = part.find_first_not_of("0123456789") == std::string_view::npos;
  return number && (part.size() == 1 || part.size() == 2 || part.size() == 4) ? Part::kKnown
                                                                              : Part::kOther;
}

}  // namespace

bool is_no_day(std::string_view word) {
  if (is_filler(word)) return true;
  std::size_t parts = 0, unknown = 0;
  while (true) {
    const std::size_t end = std::min(word.find_first_of(kMarks), word.size());
    const Part part = part_of_date(word.substr(0, end));
    if (part == Part::kOther || ++parts > 3) return false;
    unknown += part == Part::kUnknown ? 1U : 0U;
    if (end == word.size()) break;
    word.remove_prefix(end + 1);
  }
  return parts == 3 && unknown > 0;
}

}  // namespace knockout
