// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "knockout/schema/reading/reading_options.h"

namespace knockout {

/// A date, taken apart.
struct CalendarDate {
  int year = 0, month = 0, day = 0;  ///< The first day where only a month is written.
  bool has_day = true;
  bool order_matters = false;  ///< All numbers: another order may read it as another day.
  char separator = '\0';       ///< Between the numbers, where the order matters.
  std::string clock = {};      ///< "09:30:00.5", or nothing.
  std::string zone = {};       ///< "Z", "+02:00" or nothing.
  std::string pattern = {};    ///< "DD.MM.YYYY hh:mm".

  std::string iso() const;  ///< As parse_date() reads it.
};

/// Reads dates as people write them: 31.12.2020, 12/31/20, 1-Jan-2020, Jan 1, 2020, 2020-12,
/// Jan-20, 01JAN2020, with or without a time of day. `order` says what 01/02/2020 is. Two-digit
/// years: 00 to 68 are 20xx. Dates without a year and numbers without separators are none.
std::optional<CalendarDate> parse_calendar(std::string_view cell, DateOrder order);

/// Whether such a day exists.
bool is_day(int year, int month, int day);

}  // namespace knockout
