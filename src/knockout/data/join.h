// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/data/table.h"

namespace knockout {

/// Adds the columns of `extra` to `table`: row i of one belongs to row i of the other. Throws
/// DataError, naming both sources, when the numbers of rows differ or a name occurs in both.
///   join_columns(patients, read_npy("volumes.npy", "vol"));
void join_columns(Table& table, Table extra);

}  // namespace knockout
