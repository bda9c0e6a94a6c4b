// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knockout/schema/reading/number_column.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// Whether a word holds numbers in a form that nobody reads here: 120/80, 1.7 ± 0.1, 2.8x10^4,
/// 5'10", 4y 5m, 0 (not detected). Telephone numbers, versions and codes are none.
bool is_unknown_number(std::string_view word);

/// Why the words of a column are not read as numbers though most look like some, or "":
/// `looks like numbers, but "5.6 H" (12 cells) is not`. `found` is what find_numbers() says.
std::string why_no_numbers(const std::vector<WordCount>& words, const NumbersFound& found);

/// The same for words alone. Quick for words that are nothing like numbers.
std::string why_no_numbers(const std::vector<WordCount>& words);

}  // namespace knockout
