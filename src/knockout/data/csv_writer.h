// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "knockout/data/table.h"

namespace knockout {

/// How a table is written as CSV.
struct CsvWriteOptions {
  char delimiter = ',';
  /// Written in text columns for "missing for a reason"; read_csv() needs it in `reason_words`.
  /// Empty = like any other gap.
  std::string reason_word;
};

/// Writes a table as CSV: quotes only where needed, numbers in the fewest digits that read back as
/// the same double, an empty cell for missing; in numeric columns `-inf` below a limit, `inf` above
/// one and for any other reason. read_csv() gives the same table back, but for these reasons in
/// numeric columns and for the sides of limits in text columns. "-" is standard output; a file is
/// replaced only when all is written. Throws FileError when it cannot be written.
///   write_csv(table, "filled.csv");
void write_csv(const Table& table, const std::string& path, const CsvWriteOptions& options = {});

/// The same into a string.
std::string write_csv_text(const Table& table, const CsvWriteOptions& options = {});

}  // namespace knockout
