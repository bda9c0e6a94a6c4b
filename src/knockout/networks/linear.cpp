// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/linear.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/kernels/blas.h"
#include "knockout/kernels/elementwise.h"
#include "knockout/kernels/row_product.h"
#include "knockout/schema/json_fields.h"

namespace knockout {

Linear::Linear(int number, int inputs, int outputs)
    : number_(number), inputs_(inputs), outputs_(outputs) {}

LayerPointer Linear::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "a linear layer", {"kind", "number", "inputs", "outputs"});
  return std::make_shared<Linear>(fields.integer("number", 0, kMostLayers),
                                  fields.integer("inputs", 0, kWidestLayer),
                                  fields.integer("outputs", 1, kWidestLayer));
}

nlohmann::json Linear::to_json() const {
  return {{"kind", kKind}, {"number", number_}, {"inputs", inputs_}, {"outputs", outputs_}};
}

std::size_t Linear::parameter_count() const {
  return static_cast<std::size_t>(inputs_ + 1) * outputs_;
}

void Linear::initialize(const Random& random, float* parameters) const {
  const double bound = 1.0 / std::sqrt(static_cast<double>(std::max(inputs_, 1)));
  for (int i = 0; i <= inputs_; ++i) {
    for (int o = 0; o < outputs_; ++o) {
      *parameters++ = static_cast<float>(bound * (2.0 * random.uniform(number_, i, o) - 1.0));
    }
  }
}

std::vector<ParameterTensor> Linear::tensors() const {
  const std::size_t weights = static_cast<std::size_t>(inputs_) * outputs_;
  return {{.name = fmt::format("layer.{}.weight", number_),
           .shape = {inputs_, outputs_},
           .offset = 0,
           .count = weights},
          {.name = fmt::format("layer.{}.bias", number_),
           .shape = {outputs_},
           .offset = weights,
           .count = static_cast<std::size_t>(outputs_)}};
}

std::vector<ParameterBlock> Linear::blocks() const {
  // Of nearly equal height: a last one of a single row would be slow.
  const int height = inputs_ + 1;
  const int count = std::max(1, (height + kBlockRows / 2) / kBlockRows);
  const auto width = static_cast<std::size_t>(outputs_);
  std::vector<ParameterBlock> blocks;
  for (int b = 0; b < count; ++b) {
    const int first = height * b / count, end = height * (b + 1) / count;
    blocks.push_back({.offset = first * width, .count = (end - first) * width});
  }
  return blocks;
}

void Linear::forward(const float* parameters, const LayerBatch& batch,
                     const PassContext& context) const {
  const float* in = batch.input.row(batch.rows.begin);
  float* out = batch.output.row(batch.rows.begin);
  if (context.row_by_row) {
    row_product(batch.rows.count(), outputs_, inputs_ + 1, in, batch.input.stride, parameters,
                outputs_, out, batch.output.stride);
  } else {
    gemm(Transpose::kNo, Transpose::kNo, batch.rows.count(), outputs_, inputs_ + 1, in,
         batch.input.stride, parameters, outputs_, 0.0f, out, batch.output.stride);
  }
}

void Linear::backward(const float* parameters, const LayerBatch& batch,
                      const PassContext& /*context*/) const {
  const int columns = inputs_ - batch.gradient_from;
  if (columns <= 0) return;
  const float* delta = batch.output_gradient.row(batch.rows.begin);
  const float* weights = parameters + static_cast<std::size_t>(batch.gradient_from) * outputs_;
  float* to = batch.input_gradient.row(batch.rows.begin) + batch.gradient_from;
  if (outputs_ == 1) {
    outer_product(delta, batch.output_gradient.stride, weights, to, batch.input_gradient.stride,
                  batch.rows.count(), columns);
    return;
  }
  gemm(Transpose::kNo, Transpose::kYes, batch.rows.count(), columns, outputs_, delta,
       batch.output_gradient.stride, weights, outputs_, 0.0f, to, batch.input_gradient.stride);
}

void Linear::gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                            const PassContext& /*context*/, float* gradient) const {
  const auto width = static_cast<std::size_t>(outputs_);
  const auto first = block.offset / width, rows = block.count / width;
  gemm(Transpose::kYes, Transpose::kNo, static_cast<int>(rows), outputs_, batch.rows.count(),
       batch.input.row(batch.rows.begin) + first, batch.input.stride,
       batch.output_gradient.row(batch.rows.begin), batch.output_gradient.stride, 0.0f,
       gradient + block.offset, outputs_);
}

}  // namespace knockout
