// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace knockout {

/// A block of float32 numbers, as a model file holds it under a name.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< Row-major, as many as the shape's product.
};

}  // namespace knockout
