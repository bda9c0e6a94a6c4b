// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/column.h"
#include "knockout/data/csv_field.h"
#include "knockout/data/csv_infer.h"
#include "knockout/data/csv_scan.h"
#include "knockout/data/csv_words.h"
#include "knockout/data/word_table.h"

namespace knockout {

/// From row `row` of a range on, rows start at `line`, `line` + 1, ... until the next jump.
struct LineJump {
  std::size_t row = 0;
  std::uint64_t line = 0;
};

/// What parsing one range gives besides the cells that it puts into the columns.
struct RangeResult {
  std::size_t rows = 0;
  std::vector<WordTable> words;       ///< One per column; codes in the columns refer to these.
  std::vector<bool> not_numbers;      ///< Numeric columns with a cell that is none.
  std::deque<std::string> unescaped;  ///< Words that the file writes with doubled quotes.
  std::vector<LineJump> line_jumps;   ///< The first is at row 0.
  /// Where ColumnPlan::count_gap_words says so: the words that were taken as missing, with counts.
  std::map<std::size_t, std::map<std::string, std::size_t, std::less<>>> gap_words;
  std::exception_ptr error;  ///< The first problem; later rows are not parsed.
};

/// The cells of one column while ranges are parsed into it. Words have codes of their range.
struct CsvCells {
  std::vector<double> numbers;      ///< Numeric columns only.
  std::vector<std::int32_t> codes;  ///< Text columns only.
  std::vector<CellState> states;
};

/// Cells of this word are left to the end, where it is known what the others are: it may be a
/// class.
inline constexpr std::string_view kNone = "None";

/// Parses the records of `range` into rows `first_row`, `first_row` + 1, ... of `columns` (one per
/// column of the file). REQUIRES: they have room for range.max_records rows, all zero.
/// Touches no other rows, so that ranges can be parsed at the same time. A numeric column in which
/// a cell is no number is marked and not read any further. Words that are numbers in `gap_words`
/// are not looked at.
RangeResult parse_range(const CsvLayout& layout, const std::vector<ColumnPlan>& plans,
                        const GapWords& gap_words, const CsvRange& range, std::size_t first_row,
                        std::vector<CsvCells>& columns);

}  // namespace knockout
