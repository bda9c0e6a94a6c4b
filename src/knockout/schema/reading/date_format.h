// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "knockout/schema/reading/reading_options.h"

namespace knockout {

/// How the dates of a column are written.
struct DateFormat {
  enum class Form : std::uint8_t {
    kCalendar = 0,           ///< Days, months and years with something between them.
    kCompact = 1,            ///< 20201231.
    kEpochSeconds = 2,       ///< Since 1970-01-01.
    kEpochMilliseconds = 3,  ///< Since 1970-01-01.
    kSpreadsheetDays = 4,    ///< 44197 is 2021-01-01; parts of days are times.
    kCompactMonth = 5,       ///< 202012.
  };
  Form form = Form::kCalendar;
  /// Of dates such as 01/02/2003; nullopt = the usual one, where learning saw no such date: those
  /// with a month's name or that begin with a year of four digits need none.
  std::optional<DateOrder> order = DateOrder::kDayFirst;
  int last_short_year = 29;  ///< Years of two digits up to this one are of this century.
  std::string pattern = {};  ///< To be shown: "DD.MM.YYYY hh:mm".

  bool operator==(const DateFormat&) const = default;
};

constexpr auto names_of(DateFormat::Form) {
  using Form = DateFormat::Form;
  return std::array{EnumName<Form>{"calendar", Form::kCalendar},
                    EnumName<Form>{"compact", Form::kCompact},
                    EnumName<Form>{"epoch_seconds", Form::kEpochSeconds},
                    EnumName<Form>{"epoch_milliseconds", Form::kEpochMilliseconds},
                    EnumName<Form>{"spreadsheet_days", Form::kSpreadsheetDays},
                    EnumName<Form>{"compact_month", Form::kCompactMonth}};
}

/// The date of a cell as an ISO word that parse_date() reads (2008-12-01,
/// 2008-12-01T09:30:00+02:00), or nullopt. A month without a day is its first day.
std::optional<std::string> read_date(std::string_view cell, const DateFormat& format);
/// The same for a cell that is a number: compact dates, epochs and spreadsheet days.
std::optional<std::string> read_date(double cell, const DateFormat& format);

/// "DD/MM/YYYY" for 31/12/2020 read in a format. REQUIRES: read_date() reads it.
std::string date_pattern(std::string_view cell, const DateFormat& format);

nlohmann::json date_format_to_json(const DateFormat& format);
DateFormat date_format_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace knockout
