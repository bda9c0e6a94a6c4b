// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/data/csv_header.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/table.h"

namespace knockout {

/// Reads the rows of a CSV file whose header is known: plans the columns, parses in parallel and
/// puts the parts together.
Table read_body(const CsvPrologue& prologue, const CsvOptions& options);

}  // namespace knockout
