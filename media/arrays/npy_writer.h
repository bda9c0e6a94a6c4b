// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace knockout {

/// Writes a NumPy matrix (.npy, format 1.0) of 32-bit floats, row by row; numpy.load() and
/// read_npy() read it. The file appears whole or not at all. REQUIRES: rows x columns values.
/// Throws FileError.
///   write_npy("aerial.npy", features, trees, 2048);
void write_npy(const std::string& path, std::span<const float> values, std::size_t rows,
               std::size_t columns);

/// The same for a vector of 64-bit integers, such as labels.
void write_npy(const std::string& path, std::span<const std::int64_t> values);

}  // namespace knockout
