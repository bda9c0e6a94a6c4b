// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "knockout/data/csv_header.h"
#include "knockout/data/note.h"
#include "knockout/data/table.h"

namespace knockout {

/// The records of a file without those that repeat its header, as files have them that were printed
/// in pages or put together from several.
struct BodyWithoutHeaders {
  std::string body;  ///< Blank lines in their place, so that lines keep their numbers.
  Note note;
};

/// Looks for such records where `table`, read with them, does not say that there are none: above
/// all, where no column holds numbers below a name that is none. So other files pay nothing.
std::optional<BodyWithoutHeaders> without_repeated_headers(const CsvPrologue& prologue,
                                                           const Table& table);

}  // namespace knockout
