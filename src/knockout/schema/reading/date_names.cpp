// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace knockout {
namespace {

bool is_upper_letter(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }

/// The words of a name, in lower case: visit, date of visit_date, VisitDate and VISIT.DATE2.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words;
  bool open = false;  // the last word goes on
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper_letter(c) && !is_lower_letter(c)) {
      open = false;
      continue;
    }
    const bool hump = i > 0 && is_upper_letter(c) && is_lower_letter(name[i - 1]);
    if (!open || hump) words.emplace_back();
    words.back() += is_upper_letter(c) ? static_cast<char>(c + ('a' - 'A')) : c;
    open = true;
  }
  return words;
}

template <std::size_t Size>
bool is_listed(const std::array<std::string_view, Size>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_day_word(const std::string& word) {
  constexpr std::array<std::string_view, 6> kWords = {"date", "dates", "datum",
                                                      "dt",   "dob",   "fecha"};
  // They end like startdate and birthdate.
  constexpr std::array<std::string_view, 6> kOthers = {"candidate", "mandate",     "validate",
                                                       "update",    "consolidate", "accommodate"};
  return is_listed(kWords, word) || (word.ends_with("date") && !is_listed(kOthers, word));
}

bool is_month_word(const std::string& word) {
  constexpr std::array<std::string_view, 11> kWords = {"month",  "ym",      "yyyymm",  "yearmonth",
                                                       "period", "periode", "periodo", "monat",
                                                       "mois",   "mes",     "yrmo"};
  return is_listed(kWords, word);
}

}  // namespace

bool name_says_date(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto has = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  return has("time") || has("date") || has("epoch") || has("datum") || has("fecha") ||
         lower == "ts" || lower == "day" || lower.ends_with("_ts") || lower.ends_with("_day") ||
         lower.ends_with("_at") || name.ends_with("At");
}

bool name_says_day(std::string_view name) {
  const std::vector<std::string> words = words_of_name(name);
  return std::any_of(words.begin(), words.end(), is_day_word);
}

bool name_says_month(std::string_view name) {
  const std::vector<std::string> words = words_of_name(name);
  return name_says_day(name) || std::any_of(words.begin(), words.end(), is_month_word);
}

}  // namespace knockout
