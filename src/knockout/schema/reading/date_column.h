// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "knockout/schema/reading/date_format.h"
#include "knockout/schema/reading/stray_words.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// What the cells of a column say about the order of day, month and year.
struct OrderEvidence {
  std::array<std::size_t, 3> cells = {};  ///< Readable as dates, by DateOrder.
  char separator = '\0';                  ///< Of the dates whose order matters; '\0' = none does.
  std::optional<DateOrder> by_rows = {};  ///< order_of_rows(), asked where the cells do not decide.

  /// The order that reads most cells; `by_rows` where day and month could be swapped in all of
  /// them.
  std::optional<DateOrder> decided() const;
};
OrderEvidence weigh_orders(const std::vector<WordCount>& words);

/// The words of a column read as dates in one order.
struct DatesFound {
  DateFormat format = {};
  SortedWords words = {};
  bool all_iso = true;            ///< Or so near to it that nobody needs to hear of it.
  bool seasons = true;            ///< 2009-10, 2010-11, ...: two years, not a month.
  std::string_view example = {};  ///< The first date that is not.

  bool is_column() const {
    return words.readable_cells > 0 && !seasons && others_are_strays(words);
  }
};
DatesFound find_dates(const std::vector<WordCount>& words, std::optional<DateOrder> order,
                      bool usual_gaps);

/// The form in which numbers are dates: 20201231 if the name says so or all of many fit; seconds or
/// milliseconds since 1970 if the name says so and they lie between 1990 and 2040; days as
/// spreadsheets count them (44197) and months (202012) if it says so plainly. A few strays (at
/// most 3 different ones, at most a tenth) are allowed where the name says so.
std::optional<DateFormat::Form> date_form_of_numbers(std::string_view name,
                                                     std::span<const double> numbers);

}  // namespace knockout
