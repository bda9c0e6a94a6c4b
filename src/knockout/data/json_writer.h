// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "knockout/data/table.h"

namespace knockout {

/// Writes a table as a JSON array with one object per row, a row per line; a gap is null. Numbers
/// read back as the same double. "-" is standard output; a file is replaced only when all is
/// written. Throws FileError when it cannot be written.
///   write_json(predictions, "-");
void write_json(const Table& table, const std::string& path);

/// The same into a string.
std::string write_json_text(const Table& table);

}  // namespace knockout
