// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knockout {

/// Takes a mark off the front of a number, such as "~" or "ca.", or returns "". Cuts `text`.
std::string_view take_leading_flag(std::string_view& text);

/// The same for marks after it that are never units: "*", "†", and H or L behind a unit. Cuts
/// `text`.
std::string_view take_trailing_flag(std::string_view& text);

/// Whether letters after a number are a usual remark on it: H and L of laboratories, p and b of
/// statistical offices. Some are units elsewhere: see are_letter_flags().
bool is_letter_flag(std::string_view letters);

/// Whether the letters that stand beside the numbers of one column are flags: at least one of them
/// is hardly ever a unit. L alone is litres; beside H it means low.
bool are_letter_flags(const std::vector<std::string>& letters);

/// Whether letters need a decimal mark somewhere in the column: 12 b may be a house.
bool needs_decimals(std::string_view letters);

}  // namespace knockout
