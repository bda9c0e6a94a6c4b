// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "knockout/base/limits.h"

namespace knockout {

/// Whole numbers by name.
using NamedIntegers = std::map<std::string, std::vector<std::int64_t>>;

/// Reads a Python dictionary of names and vectors of whole numbers (NumPy arrays or lists) as
/// torch.save() or numpy.save() wrote it: in a zip archive that holds data.pkl uncompressed, or as
/// the object in a .npy file; pickle protocols 2 to 4. Nothing in the file is executed: it is read
/// by the few opcodes and names that such a dictionary needs, and anything else is refused by its
/// name. Throws DataError when it is damaged, holds something else or more objects than `limits`
/// allow, FileError when it cannot be read.
///   const NamedIntegers labels = read_pickled_arrays("CIFAR-10_human.pt");
NamedIntegers read_pickled_arrays(const std::string& path, const Limits& limits = {});

/// Writes the archive that torch.save() would have made of a dictionary of NumPy arrays.
void write_pickled_arrays(const NamedIntegers& arrays, const std::string& path);

}  // namespace knockout
