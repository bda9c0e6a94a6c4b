// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knockout/data/column.h"
#include "knockout/data/note.h"
#include "knockout/schema/reading/column_reading.h"
#include "knockout/schema/reading/date_column.h"
#include "knockout/schema/reading/said_words.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// What is known about a column beside its cells.
struct ColumnFacts {
  bool said_words = false;    ///< Said to hold names.
  bool said_numbers = false;  ///< Said to hold amounts.
  bool is_target = false;
  bool usual_gaps = true;                    ///< Words such as "-" and "unknown" may mean missing.
  char file_mark = '.';                      ///< The decimal mark of plain numbers.
  bool may_be_dates = false;                 ///< A sample of the words does not speak against it.
  std::optional<DateOrder> date_order = {};  ///< Absent where no cell asks.
  bool order_by_rows = false;                ///< The rows are sorted in this order alone.
  bool order_assumed = false;  ///< Nothing in the file says whether the day comes first.
};

/// The words of a text column but for those that were said to be gaps and "None", which is looked
/// at by itself.
struct ColumnWords {
  std::vector<WordCount> words = {};
  std::size_t none_cells = 0;
};
ColumnWords words_to_read(const Column& column, const SaidWords& said, bool usual_gaps);

/// Whether a sample of the words says that they are neither numbers nor dates. Quick, however many
/// there are.
bool are_plain_words(const std::vector<WordCount>& words);

/// The same for dates alone.
bool may_be_dates(const std::vector<WordCount>& words);

/// How a column is read, and what a person should hear of it.
ColumnReading learn_text_column(const Column& column, const ColumnWords& words,
                                const ColumnFacts& facts, const SaidWords& said,
                                std::vector<Note>& notes);
ColumnReading learn_number_column(const Column& column, const ColumnFacts& facts,
                                  const SaidWords& said, std::vector<Note>& notes);

}  // namespace knockout
