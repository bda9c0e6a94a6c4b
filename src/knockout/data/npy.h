// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "knockout/base/limits.h"
#include "knockout/data/table.h"

namespace knockout {

/// Reads a NumPy matrix (.npy, format 1 to 3) as the numeric columns prefix_0, prefix_1, ...: one
/// per column of the matrix, a single one for a vector. Booleans, integers of 8 to 64 bits, and
/// floats of 32 and 64 bits, either byte order, C or Fortran order. NaN is missing, +-Inf missing
/// for a reason. Nothing in the file is executed. Throws DataError when it is damaged or holds
/// something else, FileError when it cannot be read.
///   Table volumes = read_npy("volumes.npy", "vol");
Table read_npy(const std::string& path, const std::string& prefix, const Limits& limits = {});

}  // namespace knockout
