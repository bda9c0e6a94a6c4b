// SPDX-License-Identifier: Apache-2.0
// What the name of a column says about dates in it.
#pragma once

#include <string_view>

namespace knockout {

/// Whether a column's name says that it holds times or dates, however loosely: for numbers that
/// hardly are anything else.
bool name_says_date(std::string_view name);

/// Whether it says so plainly (date, startDate, dob, but not candidate), as numbers need that could
/// be amounts: 44197.
bool name_says_day(std::string_view name);

/// The same, or that it holds months: 202101.
bool name_says_month(std::string_view name);

}  // namespace knockout
