// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "knockout/schema/reading/date_cursor.h"
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

/// The last year of two digits that is of this century, as spreadsheets have it: 29 is 2029, 30 is
/// 1930.
inline constexpr int kLastShortYear = 29;

/// What 01/02/2003 is when nothing says it: month first between slashes, else day first.
DateOrder usual_order(char separator);

/// Reads dates as people write them: 31.12.2020, 12/31/20, 1-Jan-2020, Jan 1, 2020, 2020-12,
/// Jan-20, 01JAN2020, 2021年3月5日, with or without a time of day; quarters (2021Q3, Q3 2021) and
/// weeks (2021-W05) by their first day. `order` says what 01/02/2020 is; without one it is the
/// usual order. Dates without a year and numbers without separators are none.
std::optional<CalendarDate> parse_calendar(std::string_view cell, std::optional<DateOrder> order,
                                           int last_short_year = kLastShortYear);

/// The usual order of a word such as 01/02/2003, in which it matters; nothing for other words.
/// Quick: looks at its first characters alone.
std::optional<DateOrder> order_asked_of(std::string_view word);

/// Years that dates without a day are taken to have: others are numbers more likely.
inline bool is_near_year(int year) { return year >= 1800 && year <= 2100; }

/// Whether such a day exists.
bool is_day(int year, int month, int day);

/// The time of day behind a day, if there is one, and the pattern of the whole. False where
/// something else stands there.
bool read_rest(DateCursor& text, CalendarDate& date);

}  // namespace knockout
