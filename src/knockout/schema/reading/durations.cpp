// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/durations.h"

#include <array>
#include <string>

#include "knockout/data/csv_number.h"

namespace knockout {
namespace {

struct TimeUnit {
  std::string_view letters;
  double seconds = 0.0;
};
constexpr double kMinute = 60.0, kHour = 3600.0, kDay = 86400.0;
constexpr std::array<TimeUnit, 33> kTimeUnits = {{{"s", 1},
                                                  {"sec", 1},
                                                  {"secs", 1},
                                                  {"second", 1},
                                                  {"seconds", 1},
                                                  {"sek", 1},
                                                  {"min", kMinute},
                                                  {"mins", kMinute},
                                                  {"minute", kMinute},
                                                  {"minutes", kMinute},
                                                  {"minuten", kMinute},
                                                  {"h", kHour},
                                                  {"hr", kHour},
                                                  {"hrs", kHour},
                                                  {"hour", kHour},
                                                  {"hours", kHour},
                                                  {"std", kHour},
                                                  {"stunde", kHour},
                                                  {"stunden", kHour},
                                                  {"heure", kHour},
                                                  {"heures", kHour},
                                                  {"hora", kHour},
                                                  {"horas", kHour},
                                                  {"ora", kHour},
                                                  {"ore", kHour},
                                                  {"d", kDay},
                                                  {"day", kDay},
                                                  {"days", kDay},
                                                  {"tag", kDay},
                                                  {"tage", kDay},
                                                  {"jour", kDay},
                                                  {"jours", kDay},
                                                  {"dias", kDay}}};

bool is_duration_digit(char c) { return c >= '0' && c <= '9'; }

void skip_blanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

/// Takes "1.5" or "1,5" off a text.
std::optional<double> take_amount(std::string_view& text) {
  constexpr std::size_t kLongestAmount = 12;
  std::string digits;
  while (!text.empty() && digits.size() < kLongestAmount) {
    const char c = text.front();
    const bool mark = (c == '.' || c == ',') && !digits.empty() &&
                      digits.find('.') == std::string::npos && text.size() > 1 &&
                      is_duration_digit(text[1]);
    if (!is_duration_digit(c) && !mark) break;
    digits += mark ? '.' : c;
    text.remove_prefix(1);
  }
  if (digits.empty()) return std::nullopt;
  while (digits.size() > 1 && digits[0] == '0' && is_duration_digit(digits[1])) digits.erase(0, 1);
  return parse_number(digits, '.').value;
}

/// Takes "min" or "Std." off a text; in lower case.
std::string take_letters(std::string_view& text) {
  std::string letters;
  while (!text.empty()) {
    const char lower = static_cast<char>(text.front() | 0x20);
    if (lower < 'a' || lower > 'z') break;
    letters += lower;
    text.remove_prefix(1);
  }
  if (!letters.empty() && text.starts_with('.')) text.remove_prefix(1);
  return letters;
}

/// What follows the P of "P1DT3H8M30S". Months and years have no certain length.
std::optional<double> read_iso_duration(std::string_view text) {
  double seconds = 0.0;
  bool time = false, any = false;
  while (!text.empty()) {
    if (text.front() == 'T' && !time) {
      time = true;
      text.remove_prefix(1);
    }
    const std::optional<double> amount = take_amount(text);
    if (!amount || text.empty()) return std::nullopt;
    const char unit = text.front();
    text.remove_prefix(1);
    if (!time && unit != 'D') return std::nullopt;
    if (time && unit != 'H' && unit != 'M' && unit != 'S') return std::nullopt;
    seconds += *amount * (unit == 'D' ? kDay : unit == 'H' ? kHour : unit == 'M' ? kMinute : 1.0);
    any = true;
  }
  return any ? std::optional(seconds / kHour) : std::nullopt;
}

}  // namespace

double seconds_of_unit(std::string_view letters) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (unit.letters == letters) return unit.seconds;
  }
  return 0.0;
}

std::optional<double> read_duration(std::string_view text) {
  if (text.starts_with('P')) return read_iso_duration(text.substr(1));
  double seconds = 0.0, last_unit = 0.0;
  while (!text.empty()) {
    const std::optional<double> amount = take_amount(text);
    if (!amount) return std::nullopt;
    skip_blanks(text);
    const std::string letters = take_letters(text);
    // "m" alone may be metres or months.
    const double unit = letters == "m" && last_unit == kHour ? kMinute : seconds_of_unit(letters);
    if (unit == 0.0 || (last_unit != 0.0 && unit >= last_unit)) return std::nullopt;
    seconds += *amount * unit;
    last_unit = unit;
    skip_blanks(text);
  }
  return last_unit == 0.0 ? std::nullopt : std::optional(seconds / kHour);
}

}  // namespace knockout
