// SPDX-License-Identifier: Apache-2.0
// The sentences that tell how a column was read.
#pragma once

#include <string>
#include <vector>

#include "knockout/data/note.h"
#include "knockout/schema/reading/date_column.h"
#include "knockout/schema/reading/number_column.h"
#include "knockout/schema/reading/sentinels.h"

namespace knockout {

Note stray_words_note(const std::string& column, std::string_view what,
                      const std::vector<WordCount>& strays);
Note detection_limit_note(const std::string& column, const NumbersFound& found,
                          const std::vector<WordCount>& limits);
/// For "H" and the like beside numbers, which are dropped.
Note flags_note(const std::string& column, const NumbersFound& found);
/// For numbers without "%" that may be shares of one.
Note percent_mix_note(const std::string& column, const NumbersFound& found);
/// For words that look like numbers; `why` is what why_no_numbers() says.
Note number_like_note(const std::string& column, const std::string& why);
Note infinite_note(const std::string& column, std::size_t cells);
Note number_format_note(const std::string& column, const NumbersFound& found);
Note decimal_comma_note(const NumbersFound& found);
Note code_note(const std::string& column, std::string_view example);
Note date_format_note(const std::string& column, const std::string& example, const std::string& iso,
                      const DateFormat& format);
Note ambiguous_date_note(const std::string& column, const std::string& example,
                         const std::string& iso, const DateFormat& format);
/// Where the rows say which of day and month comes first.
Note sorted_date_note(const std::string& column, const std::string& example, const std::string& iso,
                      const DateFormat& format);
Note none_note(const std::string& column, std::size_t cells);
Note sentinel_note(const std::string& column, const std::vector<Sentinel>& sentinels);
Note date_sentinel_note(const std::string& column, const std::vector<WordCount>& dates);
Note unreadable_note(const std::string& column, std::string_view what,
                     const std::vector<WordCount>& words);

}  // namespace knockout
