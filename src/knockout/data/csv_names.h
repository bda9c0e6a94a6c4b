// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "knockout/data/csv_field.h"
#include "knockout/data/note.h"

namespace knockout {

/// Gives every column of `layout` a name of its own, where the header left names out or gave one
/// twice, and sets aside columns that are none: names of rows, and columns without a name and
/// without a single value. `body` holds the records, all of which have a say. Adds to `notes`.
void complete_names(CsvLayout& layout, std::string_view body, int threads,
                    std::vector<Note>& notes);

/// The same where all records have one field more than the header has names: the first field is the
/// name of the row when no two are alike, the last one is no column when it is always empty.
/// Otherwise the header stays as it is, for the reader to complain about.
void complete_short_header(CsvLayout& layout, std::string_view body, int threads,
                           std::vector<Note>& notes);

}  // namespace knockout
