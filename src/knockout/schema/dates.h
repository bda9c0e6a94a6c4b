// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace knockout {

/// Days since 1970-01-01 of an ISO date ("2008-12-01", "2008/12/01", "2008-12-01T09:30",
/// "2008-12-01 09:30:15.5Z"), or nullopt. A time zone ("Z", "+02:00") moves the time to UTC.
std::optional<double> parse_date(std::string_view word);

/// How much of its year has passed at a date, in turns: 0 on 1 January, 0.5 in early July. Always
/// in [0, 1.01). A day is 1/365.2425 of a turn.
double season_of_date(double days_since_1970);

/// How much of its week, from Monday to Sunday, has passed when a date begins, in turns: 1/7 on a
/// Tuesday, whatever the time.
double weekday_of_date(double days_since_1970);

/// How much of its day has passed, in turns: 0.75 at 18:00. Always in [0, 1).
double time_of_date(double days_since_1970);

}  // namespace knockout
