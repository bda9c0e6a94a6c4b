// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "knockout/data/table.h"

namespace knockout {

/// Writes a table as a JSON array with one object per row, a row per line; a gap is null. Numbers
/// read back as the same double. "-" is standard output; a file is replaced only when all is
/// written. Throws FileError when it cannot be written.
///   write_json(predictions, "-");
void write_json(const Table& table, const std::string& path);

/// The same into a string.
std::string write_json_text(const Table& table);

/// JSON as text that no terminal obeys: what is no UTF-8 becomes U+FFFD, and of valid characters
/// all controls and those that turn the direction of writing are written as \\u escapes, so that
/// programs read back what was there.
std::string json_text(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace knockout
