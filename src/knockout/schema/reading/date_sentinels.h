// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/schema/reading/date_format.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// The words of a column of dates that probably stand for a gap: 9999-12-31, 1900-01-01 and the
/// like in two cells or more, years away from all other dates.
std::vector<WordCount> find_date_sentinels(const std::vector<WordCount>& words,
                                           const DateFormat& format);

}  // namespace knockout
