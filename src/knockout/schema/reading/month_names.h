// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace knockout {

/// 1 to 12 for the name of a month or its usual abbreviation in English, German, French, Spanish,
/// Italian or Dutch, in any case; 0 for other words.
int month_of_name(std::string_view word);

/// Whether a word is a day of the week in English or German, or its abbreviation.
bool is_weekday(std::string_view word);

}  // namespace knockout
