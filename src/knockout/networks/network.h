// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/base/random.h"

namespace knockout {

/// An embedding table: `rows` codes, each a vector of `dimension` numbers that the network learns.
struct EmbeddingShape {
  int rows = 0;
  int dimension = 0;
};

/// The shape of a multi-layer perceptron: dense inputs and embedded codes in, hidden ReLU layers,
/// linear outputs.
struct NetworkShape {
  int dense_inputs = 0;
  std::vector<EmbeddingShape> embeddings;
  std::vector<int> hidden;
  int outputs = 1;

  int embedded_width() const;
  int input_width() const { return dense_inputs + embedded_width(); }
  int layers() const { return static_cast<int>(hidden.size()) + 1; }
  int layer_inputs(int layer) const { return layer == 0 ? input_width() : hidden[layer - 1]; }
  int layer_outputs(int layer) const { return layer + 1 == layers() ? outputs : hidden[layer]; }
};

/// The numbers of one network, in one flat block that the optimiser walks over: for each layer a
/// (inputs + 1) x outputs matrix, row-major, whose last row is the bias; then the embedding tables.
class Network {
 public:
  explicit Network(NetworkShape shape);

  /// Weights and biases uniform on +-1/sqrt(inputs), embeddings normal: what LibTorch does by
  /// default, so that both engines start alike. A pure function of the random stream.
  void initialize(const Random& random);

  const NetworkShape& shape() const { return shape_; }
  std::vector<float>& parameters() { return parameters_; }
  const std::vector<float>& parameters() const { return parameters_; }

  std::size_t layer_offset(int layer) const { return layer_offsets_[layer]; }
  std::size_t embedding_offset(int table) const { return embedding_offsets_[table]; }
  const float* layer(int layer) const { return parameters_.data() + layer_offsets_[layer]; }
  const float* embedding(int table) const { return parameters_.data() + embedding_offsets_[table]; }

 private:
  NetworkShape shape_;
  std::vector<float> parameters_;
  std::vector<std::size_t> layer_offsets_;
  std::vector<std::size_t> embedding_offsets_;
};

}  // namespace knockout
