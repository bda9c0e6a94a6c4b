// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/calendar_date.h"

#include <chrono>
#include <utility>

#include <fmt/compile.h>

#include "knockout/schema/reading/date_cursor.h"
#include "knockout/schema/reading/date_periods.h"
#include "knockout/schema/reading/month_names.h"
#include "knockout/schema/reading/plain_marks.h"
#include "knockout/schema/reading/time_of_day.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestDate = 48;

/// 123456 and 12345.6 are no dates: quick to say, and the most frequent question.
bool is_plain_decimal(std::string_view cell) {
  std::size_t points = 0;
  for (const char c : cell) {
    if (c == '.') {
      ++points;
    } else if (!DateCursor::is_digit(c)) {
      return false;
    }
  }
  return points < 2;
}

using Digits = DateCursor::Digits;

/// Reads a day, then a time of day.
class DateParser {
 public:
  DateParser(std::string_view text, std::optional<DateOrder> order, int last_short_year)
      : text_(text), order_(order), last_short_year_(last_short_year) {}

  std::optional<CalendarDate> parse() {
    skip_weekday();
    const bool read = is_digit(text_.peek()) ? starts_with_digits() : starts_with_month();
    if (!read || date_.year < 1 || !is_day(date_.year, date_.month, date_.day)) return std::nullopt;
    if (!read_rest(text_, date_)) return std::nullopt;
    return std::move(date_);
  }

 private:
  static bool is_digit(char c) { return DateCursor::is_digit(c); }
  static bool is_letter(char c) { return DateCursor::is_letter(c); }

  void skip_weekday() {
    const std::string_view word = text_.peek_letters();
    if (!is_weekday(word)) return;
    text_.drop(word.size());
    text_.drop_if('.');
    text_.drop_if(',');
    while (text_.drop_if(' ')) {
    }
  }

  int full_year(const Digits& year) const {
    if (year.count != 2) return year.value;
    return year.value + (year.value <= last_short_year_ ? 2000 : 1900);
  }

  // --- the day ---

  bool starts_with_digits() {
    const Digits first = text_.digits();
    if (first.count == 4) return year_first(first.value);
    if (first.count == 8) return compact(first.value);
    if (first.count < 1 || first.count > 2) return false;
    const char mark = text_.peek();
    const bool blank = mark == '.' && text_.peek(1) == ' ';  // 31. 12. 2020
    const bool numbers =
        (mark == '-' || mark == '/' || mark == '.') && is_digit(text_.peek(blank ? 2 : 1));
    return numbers ? all_numbers(first, mark) : day_then_name(first);
  }

  /// 2020-12-31, 2020/12/31, 2020-Dec-31, 2020-12.
  bool year_first(int year) {
    const char mark = text_.peek();
    if (mark != '-' && mark != '/' && mark != '.' && mark != ' ') return false;
    date_.year = year;
    text_.write("YYYY");
    text_.skip(mark);
    if (is_letter(text_.peek())) {
      if (!month_name()) return false;
    } else {
      const Digits month = text_.digits();
      if (mark == ' ' || month.count < 1 || month.count > 2) return false;
      date_.month = month.value;
      text_.write("MM");
      if (text_.at_end()) {
        // 2020.12 is a number, and so may be 2020-1.
        return mark != '.' && month.count == 2 && is_near_year(year) && month_alone();
      }
    }
    if (text_.at_end()) return month_alone();
    if (!text_.skip(mark)) return false;
    return day_number();
  }

  /// Only with a time: 20201231T103000. Alone it may be any number.
  bool compact(int number) {
    if (text_.peek() != 'T' && text_.peek() != ' ') return false;
    date_.year = number / 10000;
    date_.month = number / 100 % 100;
    date_.day = number % 100;
    text_.write("YYYYMMDD");
    return date_.year >= 1000;
  }

  /// 31.12.2020, 12/31/20, and 12/2020.
  bool all_numbers(const Digits& first, char mark) {
    text_.drop(1);
    const auto blank = [&] {
      if (mark == '.') text_.drop_if(' ');
    };
    blank();
    const Digits second = text_.digits();
    if (second.count == 4 && mark != '.' && text_.at_end()) {
      date_.month = first.value;
      date_.year = second.value;
      text_.write(fmt::format("MM{}YYYY", mark));
      return is_near_year(date_.year) && month_alone();
    }
    if (second.count < 1 || second.count > 2 || !text_.drop_if(mark)) return false;
    blank();
    const Digits third = text_.digits();
    if (third.count != 2 && third.count != 4) return false;
    date_.order_matters = true;
    date_.separator = mark;
    const std::string_view year = third.count == 2 ? "YY" : "YYYY";
    const auto set = [&](const Digits& y, int month, int day) {
      date_.year = full_year(y);
      date_.month = month;
      date_.day = day;
    };
    switch (order_.value_or(usual_order(mark))) {
      case DateOrder::kDayFirst:
        set(third, second.value, first.value);
        text_.write(fmt::format("DD{}MM{}{}", mark, mark, year));
        return true;
      case DateOrder::kMonthFirst:
        set(third, first.value, second.value);
        text_.write(fmt::format("MM{}DD{}{}", mark, mark, year));
        return true;
      case DateOrder::kYearFirst:
        if (first.count != 2 || third.count != 2) return false;
        set(first, second.value, third.value);
        text_.write(fmt::format("YY{}MM{}DD", mark, mark));
        return true;
    }
    return false;
  }

  /// 1-Jan-2020, 1 January 2020, 1. Januar 2020, 1st of May 2020, 01JAN2020.
  bool day_then_name(const Digits& day) {
    date_.day = day.value;
    text_.write("DD");
    skip_ordinal();
    text_.skip('.');
    if (!text_.skip_blanks() && !text_.skip('-') && !text_.skip('/') && !is_letter(text_.peek()))
      return false;
    skip_link();
    const bool glued = text_.pattern() == "DD";
    if (!month_name()) return false;
    text_.skip('.');
    text_.skip(',');
    const bool separated = text_.skip_blanks() || text_.skip('-') || text_.skip('/');
    skip_link();
    text_.skip('\'');
    const Digits year = text_.digits();
    if (year.count != 4 && (year.count != 2 || glued || !separated)) return false;
    date_.year = full_year(year);
    text_.write(year.count == 2 ? "YY" : "YYYY");
    return true;
  }

  /// Jan 1, 2020, January 1st 2020, Jan-01-2020, Jan 2020, and Jan-20 as spreadsheets write it.
  bool starts_with_month() {
    if (!month_name()) return false;
    text_.skip('.');
    const bool dash = text_.peek() == '-';
    if (!text_.skip_blanks() && !text_.skip('-') && !text_.skip('/')) return false;
    const Digits number = text_.digits();
    if (dash && number.count == 2 && text_.at_end()) {
      date_.year = full_year(number);
      text_.write("YY");
      return month_alone();
    }
    if (number.count == 4) {
      date_.year = number.value;
      text_.write("YYYY");
      return is_near_year(date_.year) && text_.at_end() && month_alone();
    }
    if (number.count < 1 || number.count > 2) return false;
    date_.day = number.value;
    text_.write("DD");
    skip_ordinal();
    text_.skip(',');
    if (!text_.skip_blanks() && !text_.skip('-') && !text_.skip('/')) return false;
    const Digits year = text_.digits();
    if (year.count != 4) return false;
    date_.year = year.value;
    text_.write("YYYY");
    return true;
  }

  bool month_alone() {
    date_.day = 1;
    date_.has_day = false;
    return true;
  }

  bool day_number() {
    const Digits day = text_.digits();
    if (day.count < 1 || day.count > 2) return false;
    date_.day = day.value;
    text_.write("DD");
    return true;
  }

  bool month_name() {
    const std::string_view name = text_.peek_letters();
    date_.month = month_of_name(name);
    if (date_.month == 0) return false;
    text_.drop(name.size());
    text_.write(name.size() <= 4 ? "Mon" : "Month");
    return true;
  }

  void skip_ordinal() {
    for (const std::string_view ending : {"st", "nd", "rd", "th"}) {
      if (text_.peek_letters() == ending) text_.drop(2);
    }
  }
  /// The "of" and "de" of 1st of May, 1 de mayo de 2020.
  void skip_link() {
    for (const std::string_view link : {"of ", "de "}) {
      if (!text_.rest().starts_with(link)) continue;
      text_.write(link);
      text_.drop(link.size());
    }
  }

  DateCursor text_;
  const std::optional<DateOrder> order_;
  const int last_short_year_;
  CalendarDate date_;
};

}  // namespace

bool read_rest(DateCursor& text, CalendarDate& date) {
  if (!text.at_end()) {
    const std::optional<TimeOfDay> time = date.has_day ? read_time(text) : std::nullopt;
    if (!time) return false;
    date.clock = time->clock;
    date.zone = time->zone;
  }
  date.pattern = text.pattern();
  return true;
}

std::string CalendarDate::iso() const {
  const std::string date = fmt::format(FMT_COMPILE("{:04}-{:02}-{:02}"), year, month, day);
  return clock.empty() ? date : date + "T" + clock + zone;
}

DateOrder usual_order(char separator) {
  return separator == '/' ? DateOrder::kMonthFirst : DateOrder::kDayFirst;
}

std::optional<CalendarDate> parse_calendar(std::string_view cell, std::optional<DateOrder> order,
                                           int last_short_year) {
  if (cell.size() < 6 || cell.size() > kLongestDate || is_plain_decimal(cell)) return std::nullopt;
  const std::string plain = plain_marks(cell);
  if (looks_like_period(plain)) return parse_period(plain);
  return DateParser(plain, order, last_short_year).parse();
}

std::optional<DateOrder> order_asked_of(std::string_view word) {
  const auto skip_number = [&] {
    std::size_t digits = 0;
    while (digits < word.size() && DateCursor::is_digit(word[digits])) ++digits;
    word.remove_prefix(digits);
    return digits == 1 || digits == 2;
  };
  if (!skip_number() || word.empty()) return std::nullopt;
  const char mark = word[0];
  if (mark != '/' && mark != '-' && mark != '.') return std::nullopt;
  word.remove_prefix(1);
  if (!skip_number() || !word.starts_with(mark)) return std::nullopt;
  return usual_order(mark);
}

bool is_day(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  return date.ok();
}

}  // namespace knockout
