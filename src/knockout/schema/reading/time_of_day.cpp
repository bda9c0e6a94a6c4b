// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/time_of_day.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace knockout {
namespace {

class TimeParser {
 public:
  explicit TimeParser(DateCursor& text) : text_(text) {}

  std::optional<TimeOfDay> read() {
    if (!read_clock_part() || !read_zone()) return std::nullopt;
    return std::move(time_);
  }

 private:
  bool read_clock_part() {
    const bool letter = text_.skip('T');
    bool started = letter || text_.skip(':');  // SAS writes 01JAN2020:10:30:00
    started = text_.skip(',') || started;
    started = text_.skip_blanks() || started;
    if (text_.rest().starts_with("at ")) text_.drop(3);
    if (!started) return false;
    const DateCursor::Digits first = text_.digits();
    if (letter && (first.count == 4 || first.count == 6)) return compact_time(first);
    if (first.count < 1 || first.count > 2) return false;
    int hour = first.value, minute = 0, second = 0;
    std::string fraction;
    text_.write("hh");
    const bool has_minutes = text_.skip(':');
    if (has_minutes) {
      const DateCursor::Digits minutes = text_.digits();
      if (minutes.count != 2) return false;
      minute = minutes.value;
      text_.write("mm");
      if (text_.skip(':')) {
        const DateCursor::Digits seconds = text_.digits();
        if (seconds.count != 2) return false;
        second = seconds.value;
        text_.write("ss");
        fraction = read_fraction();
      }
    }
    const bool has_half = read_half(hour);
    if ((!has_minutes && !has_half) || hour < 0) return false;
    return keep_time(hour, minute, second, fraction);
  }

  bool compact_time(const DateCursor::Digits& run) {
    const int number = run.count == 4 ? run.value * 100 : run.value;
    text_.write(run.count == 4 ? "hhmm" : "hhmmss");
    const std::string fraction = read_fraction();
    return keep_time(number / 10000, number / 100 % 100, number % 100, fraction);
  }

  bool keep_time(int hour, int minute, int second, const std::string& fraction) {
    if (hour > 23 || minute > 59 || second > 59) return false;
    time_.clock = fmt::format("{:02}:{:02}:{:02}{}", hour, minute, second, fraction);
    return true;
  }

  std::string read_fraction() {
    if ((text_.peek() != '.' && text_.peek() != ',') || !DateCursor::is_digit(text_.peek(1)))
      return "";
    std::size_t end = 1;
    while (DateCursor::is_digit(text_.peek(end))) ++end;
    std::string fraction = "." + std::string(text_.rest().substr(1, end - 1));
    text_.drop(end);
    text_.write(".f");
    return fraction;
  }

  /// AM or PM: turns the hour into one of 24; -1 when it is no hour of 12.
  bool read_half(int& hour) {
    std::size_t at = 0;
    while (text_.peek(at) == ' ') ++at;
    const char half = static_cast<char>(text_.peek(at) | 0x20);
    if (half != 'a' && half != 'p') return false;
    if (text_.peek(++at) == '.') ++at;
    if ((text_.peek(at) | 0x20) != 'm') return false;
    if (text_.peek(++at) == '.') ++at;
    text_.drop(at);
    text_.write(" AM/PM");
    hour = hour < 1 || hour > 12 ? -1 : hour % 12 + (half == 'p' ? 12 : 0);
    return true;
  }

  bool read_zone() {
    text_.skip_blanks();
    if (text_.at_end()) return true;
    text_.write("zone");
    bool named = false;
    for (const std::string_view name : {"Z", "UTC", "GMT"}) {
      if (text_.peek_letters() != name) continue;
      text_.drop(name.size());
      time_.zone = "Z";
      named = true;
    }
    if (text_.at_end()) return named;
    const char sign = text_.peek();
    if (sign != '+' && sign != '-') return false;
    text_.drop(1);
    const DateCursor::Digits hours = text_.digits();
    int minutes = hours.count == 4 ? hours.value % 100 : 0;
    if (hours.count == 2 && text_.drop_if(':')) {
      const DateCursor::Digits after = text_.digits();
      if (after.count != 2) return false;
      minutes = after.value;
    } else if (hours.count != 2 && hours.count != 4 && !(named && hours.count == 1)) {  // GMT+1
      return false;
    }
    const int hour = hours.count == 4 ? hours.value / 100 : hours.value;
    time_.zone = fmt::format("{}{:02}:{:02}", sign, hour, minutes);
    return text_.at_end() && hour <= 23 && minutes <= 59;
  }

  DateCursor& text_;
  TimeOfDay time_;
};

}  // namespace

std::optional<TimeOfDay> read_time(DateCursor& text) { return TimeParser(text).read(); }

}  // namespace knockout
