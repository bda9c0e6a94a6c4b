// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_periods.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "knockout/schema/reading/date_cursor.h"
#include "knockout/schema/reading/time_of_day.h"

namespace knockout {
namespace {

constexpr std::string_view kYearSign = "年", kMonthSign = "月", kDaySign = "日";

/// Years are counted from the first of an emperor, which is also written 元.
struct Era {
  std::string_view name;
  int year_before = 0;
};
constexpr std::array<Era, 3> kEras = {{{"令和", 2018}, {"平成", 1988}, {"昭和", 1925}}};
constexpr std::string_view kFirstYear = "元";

const Era* era_at(std::string_view text) {
  const auto* const era = std::find_if(kEras.begin(), kEras.end(),
                                       [&](const Era& e) { return text.starts_with(e.name); });
  return era == kEras.end() ? nullptr : era;
}

constexpr std::string_view kGermanQuarter = ". Quartal ";
bool is_german_quarter(std::string_view text) {
  return text.size() > 1 && text.substr(1).starts_with(kGermanQuarter);
}

bool is_letter(char c, char lower) { return (c | 0x20) == lower; }

/// Reads what stands beside a year.
class PeriodParser {
 public:
  explicit PeriodParser(std::string_view text) : text_(text) {}

  std::optional<CalendarDate> parse() {
    const bool read = era_at(text_.rest()) != nullptr   ? starts_with_era()
                      : is_german_quarter(text_.rest()) ? german_quarter() && year_behind()
                      : is_letter(text_.peek(), 'q')    ? quarter() && year_behind()
                                                        : starts_with_year();
    if (!read || !is_near_year(date_.year)) return std::nullopt;
    if (!is_day(date_.year, date_.month, date_.day)) return std::nullopt;
    if (!read_rest(text_, date_)) return std::nullopt;
    return date_;
  }

 private:
  bool sign(std::string_view expected) {
    if (!text_.rest().starts_with(expected)) return false;
    text_.drop(expected.size());
    text_.write(expected);
    return true;
  }

  bool starts_with_era() {
    const Era* const era = era_at(text_.rest());
    sign(era->name);
    DateCursor::Digits year{.value = 1, .count = 1};
    if (!sign(kFirstYear)) year = text_.digits();
    text_.write("YY");
    date_.year = era->year_before + year.value;
    return year.count >= 1 && year.count <= 2 && sign(kYearSign) && japanese();
  }

  bool starts_with_year() {
    const DateCursor::Digits year = text_.digits();
    if (year.count != 4) return false;
    date_.year = year.value;
    text_.write("YYYY");
    if (sign(kYearSign)) return japanese();
    if (!text_.skip('-')) text_.skip(' ');
    return is_letter(text_.peek(), 'q') ? quarter() : week();
  }

  bool quarter() {
    const char number = text_.peek(1);
    if (number < '1' || number > '4') return false;
    text_.drop(2);
    text_.write("Qn");
    return set_quarter(number);
  }

  /// 1. Quartal 2018
  bool german_quarter() {
    const char number = text_.peek();
    text_.drop(1 + kGermanQuarter.size());
    text_.write("n. Quartal ");
    return number >= '1' && number <= '4' && set_quarter(number);
  }

  bool set_quarter(char number) {
    date_.month = 3 * (number - '1') + 1;
    date_.day = 1;
    date_.has_day = false;
    return true;
  }

  bool year_behind() {
    if (!text_.skip_blanks() && !text_.skip('-')) text_.skip('/');
    const DateCursor::Digits year = text_.digits();
    date_.year = year.value;
    text_.write("YYYY");
    return year.count == 4;
  }

  bool week() {
    text_.drop(1);
    text_.write("Www");
    const DateCursor::Digits week = text_.digits();
    DateCursor::Digits day{.value = 1, .count = 1};
    if (text_.skip('-')) {
      text_.write("D");
      day = text_.digits();
    }
    if (week.count < 1 || week.count > 2 || week.value < 1 || week.value > 53) return false;
    if (day.count != 1 || day.value < 1 || day.value > 7) return false;
    return set_day_of_week(week.value, day.value);
  }

  /// ISO 8601: the first week is the one with January 4 in it, and weeks start on Mondays.
  bool set_day_of_week(int week, int day) {
    const std::chrono::year year{date_.year};
    const std::chrono::sys_days fourth{year / std::chrono::January / 4};
    const std::chrono::sys_days first =
        fourth - (std::chrono::weekday{fourth} - std::chrono::Monday);
    const std::chrono::sys_days monday = first + std::chrono::days{7 * (week - 1)};
    // A week belongs to the year of its Thursday: not all years have 53.
    if (std::chrono::year_month_day{monday + std::chrono::days{3}}.year() != year) return false;
    const std::chrono::year_month_day date{monday + std::chrono::days{day - 1}};
    date_.year = static_cast<int>(date.year());
    date_.month = static_cast<int>(static_cast<unsigned>(date.month()));
    date_.day = static_cast<int>(static_cast<unsigned>(date.day()));
    date_.has_day = false;  // no time of day may follow
    return true;
  }

  bool japanese() {
    const DateCursor::Digits month = text_.digits();
    text_.write("MM");
    date_.month = month.value;
    date_.day = 1;
    date_.has_day = false;
    if (month.count < 1 || month.count > 2 || !sign(kMonthSign)) return false;
    if (text_.at_end()) return true;
    const DateCursor::Digits day = text_.digits();
    text_.write("DD");
    date_.day = day.value;
    date_.has_day = true;
    return day.count >= 1 && day.count <= 2 && sign(kDaySign);
  }

  DateCursor text_;
  CalendarDate date_;
};

}  // namespace

bool looks_like_period(std::string_view text) {
  const DateCursor cursor(text);
  if (era_at(text) != nullptr || is_german_quarter(text)) return true;
  if (is_letter(cursor.peek(), 'q')) return DateCursor::is_digit(cursor.peek(1));
  for (std::size_t i = 0; i < 4; ++i) {
    if (!DateCursor::is_digit(cursor.peek(i))) return false;
  }
  const std::size_t mark = cursor.peek(4) == '-' || cursor.peek(4) == ' ' ? 1 : 0;
  const char letter = cursor.peek(4 + mark);
  if (is_letter(letter, 'q') || is_letter(letter, 'w')) {
    return DateCursor::is_digit(cursor.peek(5 + mark));
  }
  return text.substr(4).starts_with(kYearSign);
}

std::optional<CalendarDate> parse_period(std::string_view text) {
  return PeriodParser(text).parse();
}

}  // namespace knockout
