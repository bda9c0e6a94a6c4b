// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/schema/reading/number_format.h"
#include "knockout/schema/reading/stray_words.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// The words of a column read as numbers in the one format that suits most of its cells.
struct NumbersFound {
  NumberFormat format = {};
  SortedWords words = {};
  std::vector<double> some_values = {};  ///< Different ones, up to ten.
  /// Most cells are digits, but digits that are names: 03484, 1234567890123456.
  bool codes = false;
  std::string_view code_word = {};      ///< The first of them.
  std::string_view clothed_word = {};   ///< The first cell that is no plain number.
  std::vector<WordCount> flagged = {};  ///< "5.6 H": read, but for the flag.
  /// Numbers without "%" where most have it, and whether all of them lie between 0 and 1.
  std::vector<WordCount> without_percent = {};
  bool only_shares = true;

  /// Whether the column is one of numbers, all other words in it being gaps.
  bool is_column() const { return some_values.size() >= 2 && !codes && others_are_strays(words); }
};

/// `file_mark` is the decimal mark of the file's plain numbers. With `usual_gaps`, words such as
/// "unknown" are known as gaps. Looks at each word a constant number of times.
NumbersFound find_numbers(const std::vector<WordCount>& words, char file_mark, bool usual_gaps);

/// Whether the few small whole numbers of a column are codes for categories, since a letter that
/// repeats is among them: 1, 2, 3, 5, U. Among labels, any word that repeats says so.
bool are_category_codes(const NumbersFound& found, bool labels);

}  // namespace knockout
