// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "knockout/networks/network.h"

namespace knockout {

/// Forward and backward passes of one batch through one network, in pieces that several threads can
/// share. Rows are independent until the weights' gradients, and each block of gradients is
/// computed whole by one thread, so no sum ever depends on the number of threads:
///   1. fill input_row(r) and codes(r) for the rows of a shard, forward(shard), write the loss's
///   gradient to output_gradient(r), backward(shard);
///   2. when all shards are done: gradient_block(block) for every block.
class Pass {
 public:
  /// Rows per shard and parameter rows per gradient block are fixed: they decide the bits of the
  /// result.
  static constexpr int kShardRows = 256;
  static constexpr int kBlockRows = 128;

  Pass(const NetworkShape& shape, int batch_rows);

  int batch_rows() const { return batch_rows_; }
  int shards() const { return (batch_rows_ + kShardRows - 1) / kShardRows; }
  struct Rows {
    int begin, end;
  };
  Rows shard_rows(int shard) const;

  /// The dense inputs of a row of the batch, to be filled by the caller; and its codes.
  float* input_row(int row) {
    return activations_[0].data() + static_cast<std::size_t>(row) * input_stride();
  }
  int input_stride() const { return stride(0); }
  std::int32_t* codes(int row) {
    return codes_.data() + static_cast<std::size_t>(row) * shape_.embeddings.size();
  }

  /// Hidden units are dropped with this probability (a multiple of 1/256) while training; 0 =
  /// never.
  struct Dropout {
    double rate = 0.0;
    const Random* random = nullptr;
    std::uint64_t step = 0;
    int first_row = 0;  ///< Of this pass in the batch, when several processes share it.
  };

  void forward(const Network& network, Rows rows, const Dropout& dropout);
  void forward(const Network& network, Rows rows) { forward(network, rows, Dropout{}); }
  const float* outputs(int row) const {
    return outputs_.data() + static_cast<std::size_t>(row) * shape_.outputs;
  }
  float* output_gradient(int row) {
    return deltas_.back().data() + static_cast<std::size_t>(row) * shape_.outputs;
  }

  /// From the outputs' gradient to every layer's. `dropout` must be what forward() was given.
  void backward(const Network& network, Rows rows, const Dropout& dropout);
  void backward(const Network& network, Rows rows) { backward(network, rows, Dropout{}); }

  /// A contiguous run of parameters whose gradient is computed at once.
  struct Block {
    std::size_t offset, count;   ///< In Network::parameters().
    int layer, first_row, rows;  ///< Rows of a layer's matrix, or
    int table;                   ///< a whole embedding table (layer == -1).
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Writes the gradient of a block into `gradient[block.offset ..]`.
  void gradient_block(const Block& block, float* gradient) const;

 private:
  int stride(int layer) const { return shape_.layer_inputs(layer) + 1; }

  NetworkShape shape_;
  int batch_rows_;
  std::vector<std::vector<float>>
      activations_;  ///< Input of each layer; the last column of each is 1 and multiplies the bias.
  std::vector<float> outputs_;
  std::vector<std::vector<float>>
      deltas_;  ///< Gradient with respect to each layer's output, before its ReLU.
  std::vector<float> embedded_delta_;  ///< Gradient with respect to the embedded part of the input.
  std::vector<std::int32_t> codes_;
  std::size_t dropout_stride_ = 0;
  std::vector<std::uint8_t> dropout_bytes_;
  std::vector<Block> blocks_;
};

}  // namespace knockout
