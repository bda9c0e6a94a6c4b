// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/date_format.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/schema/dates.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/reading/calendar_date.h"

namespace knockout {
namespace {

using DateForm = DateFormat::Form;

constexpr std::string_view kUsualOrder = "usual";

bool is_iso(std::string_view cell) {
  return cell.size() >= 10 && cell[4] == '-' && parse_date(cell).has_value();
}

std::optional<std::string> read_compact(double number) {
  if (number != std::trunc(number) || number < 10000101.0 || number > 99991231.0) {
    return std::nullopt;
  }
  const int digits = static_cast<int>(number);
  const int year = digits / 10000, month = digits / 100 % 100, day = digits % 100;
  if (!is_day(year, month, day)) return std::nullopt;
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

std::optional<std::string> read_compact_month(double number) {
  if (number != std::trunc(number) || number < 100001.0 || number > 999912.0) return std::nullopt;
  return read_compact(100.0 * number + 1.0);
}

/// Milliseconds since 1970; nothing outside the years that have four digits.
std::optional<std::string> read_epoch(double milliseconds) {
  constexpr double kDay = 86400e3;
  constexpr double kFirstDay = -719162.0, kLastDay = 2932896.0;  // 0001-01-01 and 9999-12-31
  const double days = std::floor(milliseconds / kDay);
  if (!(days >= kFirstDay && days <= kLastDay)) return std::nullopt;
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(days)}}};
  const auto rest = static_cast<long long>(std::floor(milliseconds - days * kDay));
  std::string iso =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  rest / 3600000, rest / 60000 % 60, rest / 1000 % 60);
  if (rest % 1000 != 0) iso += fmt::format(".{:03}", rest % 1000);
  return iso;
}

/// Day 1 is 1900-01-01 in spreadsheets, which have a 1900-02-29 too: right from March 1900 on.
std::optional<std::string> read_spreadsheet_days(double days) {
  constexpr double kMarch1900 = 61.0, kDayOf1970 = 25569.0;
  if (!(days >= kMarch1900)) return std::nullopt;
  std::optional<std::string> iso = read_epoch(std::round((days - kDayOf1970) * 86400.0) * 1000.0);
  if (iso && days == std::trunc(days)) iso->resize(iso->find('T'));
  return iso;
}

}  // namespace

std::optional<std::string> read_date(std::string_view cell, const DateFormat& format) {
  if (is_iso(cell)) return std::string(cell);
  if (format.form != DateForm::kCalendar) {
    const std::optional<double> number = parse_number(cell);
    return number ? read_date(*number, format) : std::nullopt;
  }
  const auto date = parse_calendar(cell, format.order, format.last_short_year);
  if (!date) return std::nullopt;
  return date->iso();
}

std::optional<std::string> read_date(double cell, const DateFormat& format) {
  switch (format.form) {
    case DateForm::kCompact:
      return read_compact(cell);
    case DateForm::kEpochSeconds:
      // To the millisecond: a double has no more to say about a number of ten digits.
      return read_epoch(std::round(cell * 1000.0));
    case DateForm::kEpochMilliseconds:
      return read_epoch(cell);
    case DateForm::kSpreadsheetDays:
      return read_spreadsheet_days(cell);
    case DateForm::kCompactMonth:
      return read_compact_month(cell);
    case DateForm::kCalendar:
      break;
  }
  return std::nullopt;
}

std::string date_pattern(std::string_view cell, const DateFormat& format) {
  switch (format.form) {
    case DateForm::kCompact:
      return "YYYYMMDD";
    case DateForm::kEpochSeconds:
      return "seconds since 1970";
    case DateForm::kEpochMilliseconds:
      return "milliseconds since 1970";
    case DateForm::kSpreadsheetDays:
      return "days as spreadsheets count them";
    case DateForm::kCompactMonth:
      return "YYYYMM";
    case DateForm::kCalendar:
      break;
  }
  const std::optional<CalendarDate> date = parse_calendar(cell, format.order);
  return date ? date->pattern : "";
}

nlohmann::json date_format_to_json(const DateFormat& format) {
  return {{"form", std::string(name_of(format.form))},
          {"order", format.order ? std::string(name_of(*format.order)) : std::string(kUsualOrder)},
          {"last_short_year", format.last_short_year},
          {"pattern", format.pattern}};
}

DateFormat date_format_from_json(const nlohmann::json& json, const std::string& where) {
  const JsonFields fields(json, where, {"form", "order", "pattern"}, {"last_short_year"});
  DateFormat format;
  format.form = fields.choice("form", names_of(DateForm{}));
  format.order = std::nullopt;
  if (fields.text("order") != kUsualOrder) {
    format.order = fields.choice("order", names_of(DateOrder{}));
  }
  constexpr int kBefore = 68;  // of models that were written before the field was
  format.last_short_year =
      fields.has("last_short_year") ? fields.integer("last_short_year", 0, 99) : kBefore;
  format.pattern = fields.text("pattern");
  return format;
}

}  // namespace knockout
