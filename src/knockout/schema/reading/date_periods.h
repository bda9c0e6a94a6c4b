// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "knockout/schema/reading/calendar_date.h"

namespace knockout {

/// Whether a text starts like a quarter, a week or a Japanese date. Quick.
bool looks_like_period(std::string_view text);

/// Reads a quarter (2021Q3, 2021-Q3, Q3 2021), a week of ISO 8601 (2021-W05, 2021W05, 2021-W05-3)
/// or a Japanese date (2021年3月5日, 2021年3月). Its first day stands for a quarter, week or month.
std::optional<CalendarDate> parse_period(std::string_view text);

}  // namespace knockout
