// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "knockout/data/column.h"
#include "knockout/data/csv_infer.h"
#include "knockout/data/csv_parse.h"
#include "knockout/data/csv_words.h"

namespace knockout {

/// What one pass over the records gives.
struct ParsedRecords {
  std::vector<std::size_t> first_rows;  ///< Where each range wrote its first row.
  std::vector<RangeResult> results;     ///< One per range.
  std::vector<CsvCells> cells;          ///< One per column.
  std::size_t rows = 0;
};

/// A column whose parts are put together, and how many of its cells were "None" and are gaps now.
struct JoinedColumn {
  Column column;
  std::size_t none_cells = 0;
};

/// Puts a column of numbers together from the ranges; takes its cells. Words in `gap_words` that
/// are numbers are compared by value.
Column join_numbers(ParsedRecords& parsed, std::size_t index, const std::string& name,
                    const GapWords& gap_words);

/// The same for a column of words. A word that spells a number of `gap_words` is a gap. "None" is a
/// gap if `gap_words` say so, unless `keep_none`.
JoinedColumn join_words(ParsedRecords& parsed, std::size_t index, const std::string& name,
                        const GapWords& gap_words, char decimal_mark, bool keep_none);

/// How the words of a column are written, "None" left out.
ColumnEvidence evidence_of(const Column& column);

/// A column of words that are all numbers with that decimal mark, infinities or "None", as numbers.
Column numbers_from_words(const Column& column, char decimal_mark);

}  // namespace knockout
