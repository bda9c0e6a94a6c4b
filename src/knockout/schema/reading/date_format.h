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
  };
  Form form = Form::kCalendar;
  /// Of dates such as 01/02/2003. Dates with a month's name or that begin with a year of four
  /// digits need none.
  DateOrder order = DateOrder::kDayFirst;
  std::string pattern = {};  ///< To be shown: "DD.MM.YYYY hh:mm".

  bool operator==(const DateFormat&) const = default;
};

constexpr auto names_of(DateFormat::Form) {
  using Form = DateFormat::Form;
  return std::array{EnumName<Form>{"calendar", Form::kCalendar},
                    EnumName<Form>{"compact", Form::kCompact},
                    EnumName<Form>{"epoch_seconds", Form::kEpochSeconds},
                    EnumName<Form>{"epoch_milliseconds", Form::kEpochMilliseconds}};
}

/// The date of a cell as an ISO word that parse_date() reads (2008-12-01,
/// 2008-12-01T09:30:00+02:00), or nullopt. A month without a day is its first day.
std::optional<std::string> read_date(std::string_view cell, const DateFormat& format);
/// The same for a cell that is a number: compact dates and epochs.
std::optional<std::string> read_date(double cell, const DateFormat& format);

/// "DD/MM/YYYY" for 31/12/2020 read in a format. REQUIRES: read_date() reads it.
std::string date_pattern(std::string_view cell, const DateFormat& format);

nlohmann::json date_format_to_json(const DateFormat& format);
DateFormat date_format_from_json(const nlohmann::json& json, const std::string& where);

}  // namespace knockout
