// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/clock_hours.h"

#include <string>

#include "knockout/data/csv_number.h"
#include "knockout/schema/reading/durations.h"
#include "knockout/schema/reading/plain_marks.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestClock = 64;  ///< In bytes; longer cells are text.
constexpr std::size_t kMostHourDigits = 4;

bool is_clock_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes "14:" off a text.
std::optional<int> take_hours(std::string_view& text) {
  std::size_t digits = 0;
  int hours = 0;
  while (digits < text.size() && is_clock_digit(text[digits])) {
    if (digits == kMostHourDigits) return std::nullopt;
    hours = 10 * hours + (text[digits++] - '0');
  }
  if (digits == 0 || digits == text.size() || text[digits] != ':') return std::nullopt;
  text.remove_prefix(digits + 1);
  return hours;
}

/// Takes two digits off a text: minutes or seconds.
std::optional<int> take_sixtieths(std::string_view& text) {
  if (text.size() < 2 || !is_clock_digit(text[0]) || !is_clock_digit(text[1])) return std::nullopt;
  const int value = 10 * (text[0] - '0') + (text[1] - '0');
  text.remove_prefix(2);
  return value < 60 ? std::optional(value) : std::nullopt;
}

/// Takes ".25" off a text; 0 where there is none.
double take_fraction(std::string_view& text) {
  if (text.size() < 2 || text[0] != '.' || !is_clock_digit(text[1])) return 0.0;
  std::size_t end = 1;
  while (end < text.size() && is_clock_digit(text[end])) ++end;
  const double fraction = parse_number(text.substr(0, end), '.').value;
  text.remove_prefix(end);
  return fraction;
}

/// The hour of 24 that an hour and what follows the time ("", "PM", "a.m.") mean.
std::optional<int> hour_of_day(int hours, std::string_view rest) {
  std::string half;
  for (const char c : rest) {
    if (c != ' ' && c != '.') half += static_cast<char>(c | 0x20);
  }
  if (half.empty()) return hours;
  if ((half != "am" && half != "pm") || hours < 1 || hours > 12) return std::nullopt;
  return hours % 12 + (half == "pm" ? 12 : 0);
}

std::optional<double> read_time(std::string_view text) {
  const std::optional<int> first = take_hours(text);
  const std::optional<int> minute = first ? take_sixtieths(text) : std::nullopt;
  if (!minute) return std::nullopt;
  if (text.size() > 1 && text[0] == '.' && is_clock_digit(text[1])) {  // 1:23.45 of a race
    const double seconds = *minute + take_fraction(text);
    return text.empty() ? std::optional((*first + seconds / 60.0) / 60.0) : std::nullopt;
  }
  double seconds = 0.0;
  const bool has_seconds = text.starts_with(':');
  if (has_seconds) {
    text.remove_prefix(1);
    const std::optional<int> second = take_sixtieths(text);
    if (!second) return std::nullopt;
    seconds = *second + take_fraction(text);
  }
  const std::optional<int> hours = hour_of_day(*first, text);
  if (!hours || (*hours > 23 && !has_seconds)) return std::nullopt;
  return *hours + (*minute + seconds / 60.0) / 60.0;
}

/// "5 days 16:22:00", as pandas writes it.
std::optional<double> read_days_and_time(std::string_view text) {
  const std::size_t blank = text.rfind(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::string_view days = text.substr(0, blank), time = text.substr(blank + 1);
  if (days.ends_with(',')) days.remove_suffix(1);
  if (!days.ends_with("day") && !days.ends_with("days")) return std::nullopt;
  const bool negative = days.starts_with('-');
  if (negative) days.remove_prefix(1);
  if (time.starts_with('+')) time.remove_prefix(1);
  const std::optional<double> whole = read_duration(days), rest = read_time(time);
  if (!whole || !rest) return std::nullopt;
  return (negative ? -*whole : *whole) + *rest;
}

}  // namespace

std::optional<double> read_clock(std::string_view cell) {
  if (cell.size() < 2 || cell.size() > kLongestClock) return std::nullopt;
  const std::string plain = plain_marks(cell);
  if (plain.find(':') == std::string::npos) return read_duration(plain);
  const std::optional<double> time = read_time(plain);
  return time ? time : read_days_and_time(plain);
}

}  // namespace knockout
