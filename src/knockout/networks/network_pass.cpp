// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/network_pass.h"

#include <algorithm>

namespace knockout {

NetworkPass::NetworkPass(const LayerStack& layers, int batch_rows, Use use)
    : batch_rows_(batch_rows), inputs_per_row_(layers.inputs()), blocks_(layers.blocks()) {
  const auto rows = static_cast<std::size_t>(batch_rows);
  const int columns = layers.input_columns(), stride = columns + 1;
  const bool trains = use != Use::kPredict;
  const int gradient_from = use == Use::kInputGradients ? 0 : layers.inputs();
  inputs_.assign(rows * stride, 0.0f);
  for (std::size_t r = 1; r <= rows; ++r) inputs_[r * stride - 1] = 1.0f;
  batch_.input = {.data = inputs_.data(), .stride = stride};
  // Gradients of inputs take memory only where somebody asks for them: the caller, or a layer that
  // lets its input grow.
  if (trains && gradient_from < columns) input_gradients_.assign(rows * stride, 0.0f);
  batch_.input_gradient = {.data = input_gradients_.data(), .stride = stride};
  if (layers.in_place()) {
    batch_.output = batch_.input;
    batch_.output_gradient = batch_.input_gradient;
  } else {
    outputs_.assign(rows * layers.outputs(), 0.0f);
    if (trains) output_gradients_.assign(rows * layers.outputs(), 0.0f);
    batch_.output = {.data = outputs_.data(), .stride = layers.outputs()};
    batch_.output_gradient = {.data = output_gradients_.data(), .stride = layers.outputs()};
  }
  for (const CodeInput& input : layers.code_inputs()) {
    code_count_ = std::max(code_count_, input.code + 1);
  }
  codes_.assign(rows * code_count_, 0);
  memory_ =
      layers.make_memory({.rows = batch_rows, .trains = trains, .gradient_from = gradient_from});
  batch_.rows = {0, batch_rows};
  batch_.gradient_from = gradient_from;
  batch_.memory = memory_.get();
}

RowRange NetworkPass::shard_rows(int shard) const {
  return {shard * kShardRows, std::min(batch_rows_, (shard + 1) * kShardRows)};
}

void NetworkPass::set_inputs(int rows, const float* values, const std::int32_t* codes) {
  for (int r = 0; r < rows; ++r) {
    std::copy_n(values + static_cast<std::size_t>(r) * inputs_per_row_, inputs_per_row_,
                input_row(r));
  }
  std::copy_n(codes, static_cast<std::size_t>(rows) * code_count_, codes_.data());
}

PassContext NetworkPass::with_codes(PassContext context) const {
  context.codes = codes_.data();
  context.code_count = code_count_;
  return context;
}

LayerBatch NetworkPass::rows_of_batch(RowRange rows) const {
  LayerBatch batch = batch_;
  batch.rows = rows;
  return batch;
}

void NetworkPass::forward(const Network& network, RowRange rows, const PassContext& context) {
  network.layers().forward(network.parameters().data(), rows_of_batch(rows), with_codes(context));
}

void NetworkPass::backward(const Network& network, RowRange rows, const PassContext& context) {
  network.layers().backward(network.parameters().data(), rows_of_batch(rows), with_codes(context));
}

void NetworkPass::gradient_block(const Network& network, const ParameterBlock& block,
                                 float* gradient) const {
  network.layers().gradient_block(block, batch_, with_codes({}), gradient);
}

}  // namespace knockout
