// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/table.h"

namespace knockout {

/// How a CSV file is read. The defaults read almost every file; the rest is for files that say
/// otherwise.
struct CsvOptions {
  // --- what a cell means ---
  /// Words that mean "missing". An empty cell always does.
  std::vector<std::string> missing_words = {"NA",   "N/A",  "NaN", "nan", "null",
                                            "NULL", "None", "?",   "#N/A"};
  /// Words that mean "missing for a reason", such as "<LOD", also where they are among
  /// `missing_words`. Inf and -Inf in a numeric column always do.
  std::vector<std::string> reason_words = {};
  std::vector<std::string> text_columns =
      {};  ///< Read these as words even if they look like numbers. "mri_*" works.
  std::vector<std::string> numeric_columns =
      {};  ///< Read these as numbers, or fail with the line that is none.
  /// When set, only these columns are kept (absent names are ignored): how prediction skips what
  /// the model does not know.
  std::optional<std::vector<std::string>> only_columns;
  // --- how it is written ---
  std::optional<bool> has_header;    ///< Unset = the first record, refused if it is all numbers.
                                     ///< False names the columns column_1, column_2, ...
  std::optional<char> delimiter;     ///< Unset = found among comma, semicolon, tab and |.
  std::optional<char> decimal_mark;  ///< Unset = '.', or ',' in columns whose numbers are written
                                     ///< so; an error where 1,234 could be either.
  // --- how fast ---
  int threads = 0;              ///< 0 = all cores. Never changes the result.
  std::size_t chunk_bytes = 0;  ///< Parsed at a time; 0 = chosen. Never changes the result.
};

/// Reads a CSV file (RFC 4180 with the liberties that real files take): quotes with embedded
/// delimiters and line ends, CRLF, LF or CR, UTF-8 BOM, gzip (recognised by its content). "-" is
/// standard input. The first record is the header; without further records the table has no rows.
///
/// A column holds numbers when all observed cells of its first 1,000 rows are numbers, words
/// otherwise; without any observed cell there, all of its cells decide. A wholly empty column is
/// numeric. Blanks around a cell do not count, and an empty cell is missing, quoted or not. A quote
/// that is not the first character of a cell belongs to its text. Blank lines are skipped; in a
/// file of one column they are missing cells, except at its end.
///
/// Throws DataError naming file, line, column and the fix; FileError when the file cannot be read.
/// The result is the same for any number of threads.
///   Table table = read_csv("patients.csv");
Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from memory; `source` names it in messages.
Table read_csv_text(std::string_view text, const std::string& source,
                    const CsvOptions& options = {});

/// Only the header of a CSV file: its column names in order. Reads no more of the file than it
/// needs; standard input cannot be read again afterwards.
std::vector<std::string> read_csv_header(const std::string& path, const CsvOptions& options = {});

/// Whether `name` matches `pattern`, where `*` stands for any characters. Used wherever options
/// take column names.
bool matches_pattern(std::string_view name, std::string_view pattern);

}  // namespace knockout
