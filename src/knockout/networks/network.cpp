// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/network.h"

#include <cmath>

namespace knockout {

int NetworkShape::embedded_width() const {
  int width = 0;
  for (const EmbeddingShape& table : embeddings) width += table.dimension;
  return width;
}

Network::Network(NetworkShape shape) : shape_(std::move(shape)) {
  std::size_t size = 0;
  for (int layer = 0; layer < shape_.layers(); ++layer) {
    layer_offsets_.push_back(size);
    size += static_cast<std::size_t>(shape_.layer_inputs(layer) + 1) * shape_.layer_outputs(layer);
  }
  for (const EmbeddingShape& table : shape_.embeddings) {
    embedding_offsets_.push_back(size);
    size += static_cast<std::size_t>(table.rows) * table.dimension;
  }
  parameters_.assign(size, 0.0f);
}

void Network::initialize(const Random& random) {
  // The counter is (layer or table, row of the matrix, column): growing one layer leaves the
  // others' weights as they were.
  for (int layer = 0; layer < shape_.layers(); ++layer) {
    const int inputs = shape_.layer_inputs(layer);
    const int outputs = shape_.layer_outputs(layer);
    const double bound = 1.0 / std::sqrt(static_cast<double>(std::max(inputs, 1)));
    float* weights = parameters_.data() + layer_offsets_[layer];
    for (int i = 0; i <= inputs; ++i) {
      for (int o = 0; o < outputs; ++o) {
        *weights++ = static_cast<float>(bound * (2.0 * random.uniform(layer, i, o) - 1.0));
      }
    }
  }
  constexpr std::uint64_t kFirstTable = 1u << 20;
  for (std::size_t table = 0; table < shape_.embeddings.size(); ++table) {
    float* weights = parameters_.data() + embedding_offsets_[table];
    for (int r = 0; r < shape_.embeddings[table].rows; ++r) {
      for (int d = 0; d < shape_.embeddings[table].dimension; ++d) {
        *weights++ = static_cast<float>(random.normal(kFirstTable + table, r, d));
      }
    }
  }
}

}  // namespace knockout
