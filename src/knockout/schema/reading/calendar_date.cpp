// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/calendar_date.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "knockout/schema/reading/month_names.h"
#include "knockout/schema/reading/number_shape.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestDate = 48;

bool is_digit_byte(char c) { return c >= '0' && c <= '9'; }
bool is_letter_byte(char c) {
  const char lower = static_cast<char>(c | 0x20);
  return (lower >= 'a' && lower <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}

int full_year(int year, int digits) {
  if (digits != 2) return year;
  return year + (year <= 68 ? 2000 : 1900);
}

/// Reads a date off the front of a text, and notes how it is written.
class DateParser {
 public:
  DateParser(std::string_view text, DateOrder order) : rest_(text), order_(order) {}

  std::optional<CalendarDate> parse() {
    skip_weekday();
    const bool read = is_digit_byte(next()) ? starts_with_digits() : starts_with_month();
    if (!read || date_.year < 1 || !is_day(date_.year, date_.month, date_.day)) return std::nullopt;
    if (!rest_.empty() && (!date_.has_day || !read_time())) return std::nullopt;
    return std::move(date_);
  }

 private:
  struct Digits {
    int value = 0, count = 0;
  };

  char next() const { return rest_.empty() ? '\0' : rest_[0]; }
  bool skip(char expected) {
    if (next() != expected || rest_.empty()) return false;
    date_.pattern += expected;
    rest_.remove_prefix(1);
    return true;
  }
  bool skip_blanks() {
    bool any = false;
    while (skip(' ')) any = true;
    return any;
  }
  /// A run of digits; none when there are more than eight.
  Digits digits() {
    Digits run;
    std::size_t end = 0;
    while (end < rest_.size() && is_digit_byte(rest_[end])) ++end;
    if (end > 8) return run;
    for (; run.count < static_cast<int>(end); ++run.count) {
      run.value = 10 * run.value + (rest_[static_cast<std::size_t>(run.count)] - '0');
    }
    rest_.remove_prefix(end);
    return run;
  }
  std::string_view peek_letters() const {
    std::size_t end = 0;
    while (end < rest_.size() && is_letter_byte(rest_[end])) ++end;
    return rest_.substr(0, end);
  }
  void write(std::string_view field) { date_.pattern += field; }

  void skip_weekday() {
    const std::string_view word = peek_letters();
    if (!is_weekday(word)) return;
    rest_.remove_prefix(word.size());
    if (next() == '.') rest_.remove_prefix(1);
    if (next() == ',') rest_.remove_prefix(1);
    while (next() == ' ') rest_.remove_prefix(1);
  }

  // --- the day ---

  bool starts_with_digits() {
    const Digits first = digits();
    if (first.count == 4) return year_first(first.value);
    if (first.count == 8) return compact(first.value);
    if (first.count < 1 || first.count > 2) return false;
    const char mark = next();
    const bool numbers = (mark == '-' || mark == '/' || mark == '.') && rest_.size() > 1 &&
                         (is_digit_byte(rest_[1]) || (mark == '.' && rest_.size() > 2 &&
                                                      rest_[1] == ' ' && is_digit_byte(rest_[2])));
    return numbers ? all_numbers(first, mark) : day_then_name(first);
  }

  /// 2020-12-31, 2020/12/31, 2020-Dec-31, 2020-12.
  bool year_first(int year) {
    const char mark = next();
    if (mark != '-' && mark != '/' && mark != '.' && mark != ' ') return false;
    date_.year = year;
    write("YYYY");
    skip(mark);
    if (is_letter_byte(next())) {
      if (!month_name()) return false;
    } else {
      const Digits month = digits();
      if (mark == ' ' || month.count < 1 || month.count > 2) return false;
      date_.month = month.value;
      write("MM");
      if (rest_.empty()) {
        // 2020.12 is a number, and so may be 2020-1.
        const bool plausible = mark != '.' && month.count == 2 && year >= 1800 && year <= 2100;
        return plausible && month_alone();
      }
    }
    if (rest_.empty()) return month_alone();
    if (!skip(mark)) return false;
    return day_number();
  }

  /// Only with a time: 20201231T103000. Alone it may be any number.
  bool compact(int number) {
    if (next() != 'T' && next() != ' ') return false;
    date_.year = number / 10000;
    date_.month = number / 100 % 100;
    date_.day = number % 100;
    write("YYYYMMDD");
    return date_.year >= 1000;
  }

  /// 31.12.2020, 12/31/20, and 12/2020.
  bool all_numbers(const Digits& first, char mark) {
    rest_.remove_prefix(1);
    const auto blank = [&] {
      if (mark == '.' && next() == ' ') rest_.remove_prefix(1);
    };
    blank();
    const Digits second = digits();
    if (second.count == 4 && mark != '.' && rest_.empty()) {
      date_.month = first.value;
      date_.year = second.value;
      write(fmt::format("MM{}YYYY", mark));
      return date_.year >= 1800 && date_.year <= 2100 && month_alone();
    }
    if (second.count < 1 || second.count > 2 || next() != mark) return false;
    rest_.remove_prefix(1);
    blank();
    const Digits third = digits();
    if (third.count != 2 && third.count != 4) return false;
    date_.order_matters = true;
    date_.separator = mark;
    const std::string_view year = third.count == 2 ? "YY" : "YYYY";
    const auto set = [&](const Digits& y, int month, int day) {
      date_.year = full_year(y.value, y.count);
      date_.month = month;
      date_.day = day;
    };
    switch (order_) {
      case DateOrder::kDayFirst:
        set(third, second.value, first.value);
        write(fmt::format("DD{}MM{}{}", mark, mark, year));
        return true;
      case DateOrder::kMonthFirst:
        set(third, first.value, second.value);
        write(fmt::format("MM{}DD{}{}", mark, mark, year));
        return true;
      case DateOrder::kYearFirst:
        if (first.count != 2 || third.count != 2) return false;
        set(first, second.value, third.value);
        write(fmt::format("YY{}MM{}DD", mark, mark));
        return true;
    }
    return false;
  }

  /// 1-Jan-2020, 1 January 2020, 1. Januar 2020, 1st of May 2020, 01JAN2020.
  bool day_then_name(const Digits& day) {
    date_.day = day.value;
    write("DD");
    skip_ordinal();
    skip('.');
    if (!skip_blanks() && !skip('-') && !skip('/') && !is_letter_byte(next())) return false;
    skip_link();
    const bool glued = date_.pattern == "DD";
    if (!month_name()) return false;
    skip('.');
    skip(',');
    const bool separated = skip_blanks() || skip('-') || skip('/');
    skip_link();
    skip('\'');
    const Digits year = digits();
    if (year.count != 4 && (year.count != 2 || glued || !separated)) return false;
    date_.year = full_year(year.value, year.count);
    write(year.count == 2 ? "YY" : "YYYY");
    return true;
  }

  /// Jan 1, 2020, January 1st 2020, Jan-01-2020 and Jan 2020.
  bool starts_with_month() {
    if (!month_name()) return false;
    skip('.');
    if (!skip_blanks() && !skip('-') && !skip('/')) return false;
    const Digits number = digits();
    if (number.count == 4) {
      date_.year = number.value;
      write("YYYY");
      return date_.year >= 1800 && date_.year <= 2100 && rest_.empty() && month_alone();
    }
    if (number.count < 1 || number.count > 2) return false;
    date_.day = number.value;
    write("DD");
    skip_ordinal();
    skip(',');
    if (!skip_blanks() && !skip('-') && !skip('/')) return false;
    const Digits year = digits();
    if (year.count != 4) return false;
    date_.year = year.value;
    write("YYYY");
    return true;
  }

  bool month_alone() {
    date_.day = 1;
    date_.has_day = false;
    return true;
  }

  bool day_number() {
    const Digits day = digits();
    if (day.count < 1 || day.count > 2) return false;
    date_.day = day.value;
    write("DD");
    return true;
  }

  bool month_name() {
    const std::string_view name = peek_letters();
    date_.month = month_of_name(name);
    if (date_.month == 0) return false;
    rest_.remove_prefix(name.size());
    write(name.size() <= 4 ? "Mon" : "Month");
    return true;
  }

  void skip_ordinal() {
    for (const std::string_view ending : {"st", "nd", "rd", "th"}) {
      if (peek_letters() == ending) rest_.remove_prefix(2);
    }
  }
  /// The "of" and "de" of 1st of May, 1 de mayo de 2020.
  void skip_link() {
    for (const std::string_view link : {"of ", "de "}) {
      if (rest_.starts_with(link)) {
        write(link);
        rest_.remove_prefix(link.size());
      }
    }
  }

  // --- the time of day ---

  bool read_time() {
    const bool letter = skip('T');
    bool started = letter || skip(':');  // SAS writes 01JAN2020:10:30:00
    started = skip(',') || started;
    started = skip_blanks() || started;
    if (rest_.starts_with("at ")) rest_.remove_prefix(3);
    if (!started) return false;
    const Digits first = digits();
    if (letter && (first.count == 4 || first.count == 6)) return compact_time(first);
    if (first.count < 1 || first.count > 2) return false;
    int hour = first.value, minute = 0, second = 0;
    std::string fraction;
    write("hh");
    const bool has_minutes = skip(':');
    if (has_minutes) {
      const Digits minutes = digits();
      if (minutes.count != 2) return false;
      minute = minutes.value;
      write("mm");
      if (skip(':')) {
        const Digits seconds = digits();
        if (seconds.count != 2) return false;
        second = seconds.value;
        write("ss");
        fraction = read_fraction();
      }
    }
    const bool has_half = read_half(hour);
    if ((!has_minutes && !has_half) || hour < 0) return false;
    return keep_time(hour, minute, second, fraction) && read_zone();
  }

  bool compact_time(const Digits& run) {
    const int number = run.count == 4 ? run.value * 100 : run.value;
    write(run.count == 4 ? "hhmm" : "hhmmss");
    const std::string fraction = read_fraction();
    return keep_time(number / 10000, number / 100 % 100, number % 100, fraction) && read_zone();
  }

  bool keep_time(int hour, int minute, int second, const std::string& fraction) {
    if (hour > 23 || minute > 59 || second > 59) return false;
    date_.clock = fmt::format("{:02}:{:02}:{:02}{}", hour, minute, second, fraction);
    return true;
  }

  std::string read_fraction() {
    if ((next() != '.' && next() != ',') || rest_.size() < 2 || !is_digit_byte(rest_[1])) return "";
    std::size_t end = 1;
    while (end < rest_.size() && is_digit_byte(rest_[end])) ++end;
    std::string fraction = "." + std::string(rest_.substr(1, end - 1));
    rest_.remove_prefix(end);
    write(".f");
    return fraction;
  }

  /// AM or PM: turns the hour into one of 24; -1 when it is no hour of 12.
  bool read_half(int& hour) {
    std::string_view text = rest_;
    while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    if (text.empty()) return false;
    const char half = static_cast<char>(text[0] | 0x20);
    if (half != 'a' && half != 'p') return false;
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '.') text.remove_prefix(1);
    if (text.empty() || (text[0] | 0x20) != 'm') return false;
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '.') text.remove_prefix(1);
    rest_ = text;
    write(" AM/PM");
    hour = hour < 1 || hour > 12 ? -1 : hour % 12 + (half == 'p' ? 12 : 0);
    return true;
  }

  bool read_zone() {
    skip_blanks();
    if (rest_.empty()) return true;
    write("zone");
    bool named = false;
    for (const std::string_view name : {"Z", "UTC", "GMT"}) {
      if (peek_letters() == name) {
        rest_.remove_prefix(name.size());
        date_.zone = "Z";
        named = true;
      }
    }
    if (rest_.empty()) return named;
    const char sign = next();
    if (sign != '+' && sign != '-') return false;
    rest_.remove_prefix(1);
    const Digits hours = digits();
    int minutes = hours.count == 4 ? hours.value % 100 : 0;
    if (hours.count == 2 && next() == ':') {
      rest_.remove_prefix(1);
      const Digits after = digits();
      if (after.count != 2) return false;
      minutes = after.value;
    } else if (hours.count != 2 && hours.count != 4) {
      return false;
    }
    const int hour = hours.count == 4 ? hours.value / 100 : hours.value;
    date_.zone = fmt::format("{}{:02}:{:02}", sign, hour, minutes);
    return rest_.empty() && hour <= 23 && minutes <= 59;
  }

  std::string_view rest_;
  const DateOrder order_;
  CalendarDate date_;
};

}  // namespace

std::string CalendarDate::iso() const {
  const std::string date = fmt::format("{:04}-{:02}-{:02}", year, month, day);
  return clock.empty() ? date : date + "T" + clock + zone;
}

std::optional<CalendarDate> parse_calendar(std::string_view cell, DateOrder order) {
  if (cell.size() < 6 || cell.size() > kLongestDate) return std::nullopt;
  return DateParser(plain_marks(cell), order).parse();
}

bool is_day(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  return date.ok();
}

}  // namespace knockout
