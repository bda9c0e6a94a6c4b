// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/dates.h"

#include <chrono>
#include <cmath>

namespace knockout {
namespace {

/// Reads fixed-width fields off the front of a word.
class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}

  bool at_end() const { return rest_.empty(); }
  char next() const { return rest_.empty() ? '\0' : rest_[0]; }

  bool skip(char expected) {
    if (next() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// Exactly `digits` decimal digits, as a number in [0, most].
  std::optional<int> number(int digits, int most) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      if (next() < '0' || next() > '9') return std::nullopt;
      value = 10 * value + (rest_[0] - '0');
      rest_.remove_prefix(1);
    }
    return value <= most ? std::optional(value) : std::nullopt;
  }

  /// The digits after a decimal point, at least one.
  std::optional<double> fraction() {
    double value = 0.0, place = 0.1;
    if (next() < '0' || next() > '9') return std::nullopt;
    while (next() >= '0' && next() <= '9') {
      value += place * (rest_[0] - '0');
      place /= 10.0;
      rest_.remove_prefix(1);
    }
    return value;
  }

 private:
  std::string_view rest_;
};

std::optional<double> parse_day(Scanner& scan) {
  const auto year = scan.number(4, 9999);
  const char mark = scan.next();
  if (!year || (mark != '-' && mark != '/')) return std::nullopt;
  scan.skip(mark);
  const auto month = scan.number(2, 12);
  if (!month || !scan.skip(mark)) return std::nullopt;
  const auto day = scan.number(2, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days{date}.time_since_epoch().count());
}

/// "09:30", "09:30:15" or "09:30:15.25", in seconds.
std::optional<double> parse_time(Scanner& scan) {
  const auto hour = scan.number(2, 23);
  if (!hour || !scan.skip(':')) return std::nullopt;
  const auto minute = scan.number(2, 59);
  if (!minute) return std::nullopt;
  double seconds = 3600.0 * *hour + 60.0 * *minute;
  if (!scan.skip(':')) return seconds;
  const auto second = scan.number(2, 59);
  if (!second) return std::nullopt;
  seconds += *second;
  if (!scan.skip('.')) return seconds;
  const auto fraction = scan.fraction();
  if (!fraction) return std::nullopt;
  return seconds + *fraction;
}

/// "", "Z", "+02:00" or "-0530": how many seconds the clock is ahead of UTC.
std::optional<double> parse_zone(Scanner& scan) {
  if (scan.at_end() || scan.skip('Z')) return 0.0;
  const double sign = scan.next() == '-' ? -1.0 : 1.0;
  if (!scan.skip('+') && !scan.skip('-')) return std::nullopt;
  const auto hours = scan.number(2, 23);
  scan.skip(':');
  const auto minutes = scan.number(2, 59);
  if (!hours || !minutes) return std::nullopt;
  return sign * (3600.0 * *hours + 60.0 * *minutes);
}

}  // namespace

std::optional<double> parse_date(std::string_view word) {
  Scanner scan(word);
  const auto day = parse_day(scan);
  if (!day || scan.at_end()) return day;
  if (!scan.skip('T') && !scan.skip(' ')) return std::nullopt;
  const auto seconds = parse_time(scan);
  if (!seconds) return std::nullopt;
  const auto zone = parse_zone(scan);
  if (!zone || !scan.at_end()) return std::nullopt;
  return *day + (*seconds - *zone) / 86400.0;
}

double season_of_date(double days_since_1970) {
  const double whole = std::floor(days_since_1970);
  const std::chrono::sys_days day{std::chrono::days{static_cast<int>(whole)}};
  const std::chrono::sys_days new_year{std::chrono::year_month_day{day}.year() / 1 / 1};
  return (static_cast<double>((day - new_year).count()) + days_since_1970 - whole) / 365.2425;
}

double weekday_of_date(double days_since_1970) {
  constexpr double kThursday = 3.0;  // 1970-01-01, counting from Monday
  const double day = std::fmod(std::floor(days_since_1970) + kThursday, 7.0);
  return (day < 0.0 ? day + 7.0 : day) / 7.0;
}

double time_of_date(double days_since_1970) {
  return days_since_1970 - std::floor(days_since_1970);
}

}  // namespace knockout
