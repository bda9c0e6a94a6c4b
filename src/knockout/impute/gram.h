// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace knockout {

/// The transposed product of a row-major matrix with itself: width x width, row-major. Matrix
/// products of few rows in single precision, summed in double. The thread count never changes a
/// bit.
std::vector<double> gram(const float* values, std::size_t width, std::size_t rows, int threads);

}  // namespace knockout
