// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
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
  /// Words that mean "missing for a reason", such as "<LOD". Inf and -Inf in a numeric column
  /// always do.
  std::vector<std::string> reason_words = {};
  std::vector<std::string> text_columns =
      {};  ///< Read these as words even if they look like numbers. "mri_*" works.
  std::vector<std::string> numeric_columns =
      {};  ///< Read these as numbers, or fail with the line that is none.
  /// When set, only these columns are kept (absent names are ignored): how prediction skips what
  /// the model does not know.
  std::optional<std::vector<std::string>> only_columns;
  // --- how it is written ---
  std::optional<char> delimiter;     ///< Unset = found among comma, semicolon, tab and |.
  std::optional<char> decimal_mark;  ///< Unset = '.', or ',' where the delimiter is not a comma and
                                     ///< numbers are written so.
  // --- how fast ---
  int threads = 0;  ///< 0 = all cores. Never changes the result.
};

/// Reads a CSV file (RFC 4180 with the liberties that real files take): quotes with embedded
/// delimiters and newlines, CRLF, UTF-8 BOM, gzip (recognised by its content). "-" is standard
/// input. The first record is the header. Throws DataError naming file, line, column and the fix;
/// FileError when the file cannot be read.
///   Table table = read_csv("patients.csv");
Table read_csv(const std::string& path, const CsvOptions& options = {});

/// The same from memory; `source` names it in messages.
Table read_csv_text(std::string_view text, const std::string& source,
                    const CsvOptions& options = {});

/// Only the header of a CSV file: its column names in order.
std::vector<std::string> read_csv_header(const std::string& path, const CsvOptions& options = {});

/// Whether `name` matches `pattern`, where `*` stands for any characters. Used wherever options
/// take column names.
bool matches_pattern(std::string_view name, std::string_view pattern);

}  // namespace knockout
