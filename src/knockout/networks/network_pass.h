// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "knockout/networks/network.h"

namespace knockout {

/// Forward and backward passes of one batch through one network, in pieces that several threads can
/// share. Rows are independent until the weights' gradients, and each block of gradients is
/// computed whole by one thread, so no sum ever depends on the number of threads:
///   1. fill input_row(r) and codes(r) for the rows of a shard, forward(shard), write the loss's
///   gradient to output_gradient(r), backward(shard);
///   2. when all shards are done: gradient_block(block) for every block.
/// Serves every network with the same layers. Nothing is allocated after construction.
class NetworkPass {
 public:
  /// Rows per shard. Fixed: it decides the bits of the result.
  static constexpr int kShardRows = 256;

  enum class Use {
    kPredict,         ///< Forward only: no memory for gradients.
    kTrain,           ///< Gradients of the parameters.
    kInputGradients,  ///< Those of the dense inputs as well.
  };
  /// `batch_rows`, at most.
  NetworkPass(const LayerStack& layers, int batch_rows, Use use);

  int batch_rows() const { return batch_rows_; }
  int shards() const { return (batch_rows_ + kShardRows - 1) / kShardRows; }
  RowRange shard_rows(int shard) const;

  /// The dense inputs of a row of the batch, to be filled by the caller before every forward();
  /// and its codes.
  float* input_row(int row) { return batch_.input.row(row); }
  int input_stride() const { return batch_.input.stride; }
  std::int32_t* codes(int row) {
    return codes_.data() + static_cast<std::size_t>(row) * code_count_;
  }

  /// Fills the first rows of the batch from dense rows and codes without gaps between them.
  void set_inputs(int rows, const float* values, const std::int32_t* codes);

  /// Codes of the context are the pass's own.
  void forward(const Network& network, RowRange rows, const PassContext& context = {});
  const float* outputs(int row) const { return batch_.output.row(row); }
  int output_stride() const { return batch_.output.stride; }

  /// To be filled by the caller; rows are output_stride() apart.
  float* output_gradient(int row) { return batch_.output_gradient.row(row); }
  /// From the outputs' gradient to every layer's. `context` must be what forward() was given.
  void backward(const Network& network, RowRange rows, const PassContext& context = {});
  const float* input_gradient(int row) const { return batch_.input_gradient.row(row); }

  /// Together they cover Network::parameters(), in order.
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }
  /// Writes the gradient of a block into `gradient[block.offset ..]`.
  void gradient_block(const Network& network, const ParameterBlock& block, float* gradient) const;

 private:
  PassContext with_codes(PassContext context) const;
  LayerBatch rows_of_batch(RowRange rows) const;

  int batch_rows_;
  int inputs_per_row_;
  int code_count_ = 0;
  std::vector<float> inputs_, outputs_;  ///< A row of inputs ends with a 1.
  std::vector<float> input_gradients_, output_gradients_;
  std::vector<std::int32_t> codes_;
  std::unique_ptr<LayerMemory> memory_;
  LayerBatch batch_;  ///< All rows.
  std::vector<ParameterBlock> blocks_;
};

}  // namespace knockout
