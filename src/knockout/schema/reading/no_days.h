// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace knockout {

/// Whether a word is written like a date but names no day: 0000-00-00, 99/99/9999, and dates of
/// which a part is not known, UN-UNK-2021 or ??/03/2021. Asked of words that are no dates.
bool is_no_day(std::string_view word);

}  // namespace knockout
