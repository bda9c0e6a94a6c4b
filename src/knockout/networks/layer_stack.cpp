// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/layer_stack.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

/// The matrices between the first and the last, and what each layer remembers.
struct StackMemory final : LayerMemory {
  struct Matrix {
    std::vector<float> values, gradients;
    MatrixView value, gradient;
  };
  std::vector<Matrix> matrices;
  std::vector<std::unique_ptr<LayerMemory>> layers;
  std::vector<int> gradient_from;  ///< Of each layer.
};

}  // namespace

LayerStack::LayerStack(std::vector<LayerPointer> layers) : layers_(std::move(layers)) {
  if (layers_.empty() || layers_.size() > kMostLayers) {
    throw ModelFileError(
        fmt::format("A network has 1 to {} layers, not {}.", kMostLayers, layers_.size()));
  }
  offsets_.push_back(0);
  columns_.push_back(layers_.front()->inputs());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = *layers_[l];
    if (l > 0 && layers_[l - 1]->outputs() != layer.inputs()) {
      throw ModelFileError(
          fmt::format("Layer {} of a network takes {} inputs where the layer before it has {}.", l,
                      layer.inputs(), layers_[l - 1]->outputs()));
    }
    offsets_.push_back(offsets_.back() + layer.parameter_count());
    input_matrix_.push_back(columns_.size() - 1);
    if (layer.in_place()) {
      columns_.back() = std::max(columns_.back(), layer.outputs());
    } else {
      columns_.push_back(layer.outputs());
    }
    output_matrix_.push_back(columns_.size() - 1);
  }
}

int LayerStack::output_gradient_from(int gradient_from) const {
  for (const LayerPointer& layer : layers_)
    gradient_from = layer->output_gradient_from(gradient_from);
  return gradient_from;
}

void LayerStack::initialize(const Random& random, float* parameters) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    layers_[l]->initialize(random, parameters + offsets_[l]);
  }
}

std::vector<ParameterTensor> LayerStack::tensors() const {
  std::vector<ParameterTensor> all;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    for (ParameterTensor& tensor : layers_[l]->tensors()) {
      tensor.offset += offsets_[l];
      all.push_back(std::move(tensor));
    }
  }
  return all;
}

std::vector<ParameterBlock> LayerStack::blocks() const {
  std::vector<ParameterBlock> all;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    for (const ParameterBlock& block : layers_[l]->blocks()) {
      all.push_back({.offset = block.offset + offsets_[l], .count = block.count});
    }
  }
  return all;
}

std::vector<CodeInput> LayerStack::code_inputs() const {
  std::vector<CodeInput> all;
  for (const LayerPointer& layer : layers_) {
    const std::vector<CodeInput> codes = layer->code_inputs();
    all.insert(all.end(), codes.begin(), codes.end());
  }
  return all;
}

std::unique_ptr<LayerMemory> LayerStack::make_memory(const MemoryRequest& request) const {
  auto memory = std::make_unique<StackMemory>();
  memory->matrices.resize(columns_.size());
  const auto rows = static_cast<std::size_t>(request.rows);
  for (std::size_t m = 1; m + 1 < columns_.size(); ++m) {
    StackMemory::Matrix& matrix = memory->matrices[m];
    const int stride = columns_[m] + 1;
    matrix.values.assign(rows * stride, 0.0f);
    for (std::size_t r = 1; r <= rows; ++r) matrix.values[r * stride - 1] = 1.0f;
    matrix.value = {.data = matrix.values.data(), .stride = stride};
    if (request.trains) matrix.gradients.assign(rows * columns_[m], 0.0f);
    matrix.gradient = {.data = matrix.gradients.data(), .stride = columns_[m]};
  }
  int gradient_from = request.gradient_from;
  for (const LayerPointer& layer : layers_) {
    memory->gradient_from.push_back(gradient_from);
    memory->layers.push_back(layer->make_memory(
        {.rows = request.rows, .trains = request.trains, .gradient_from = gradient_from}));
    gradient_from = layer->output_gradient_from(gradient_from);
  }
  return memory;
}

std::size_t LayerStack::row_memory() const {
  std::size_t floats = 0;
  for (const int columns : columns_) floats += static_cast<std::size_t>(columns) + 1;
  for (const LayerPointer& layer : layers_) floats += layer->row_memory();
  return floats;
}

/// A layer's share of the stack's batch.
LayerBatch LayerStack::batch_of(std::size_t layer, const LayerBatch& batch) const {
  const auto& memory = static_cast<const StackMemory&>(*batch.memory);
  const std::size_t in = input_matrix_[layer], out = output_matrix_[layer];
  const std::size_t last = columns_.size() - 1;
  const auto value = [&](std::size_t m) {
    return m == 0 ? batch.input : m == last ? batch.output : memory.matrices[m].value;
  };
  const auto gradient = [&](std::size_t m) {
    return m == 0      ? batch.input_gradient
           : m == last ? batch.output_gradient
                       : memory.matrices[m].gradient;
  };
  return {.rows = batch.rows,
          .input = value(in),
          .output = value(out),
          .input_gradient = gradient(in),
          .output_gradient = gradient(out),
          .gradient_from = memory.gradient_from[layer],
          .memory = memory.layers[layer].get()};
}

void LayerStack::forward(const float* parameters, const LayerBatch& batch,
                         const PassContext& context) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    layers_[l]->forward(parameters + offsets_[l], batch_of(l, batch), context);
  }
}

void LayerStack::backward(const float* parameters, const LayerBatch& batch,
                          const PassContext& context) const {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    layers_[l]->backward(parameters + offsets_[l], batch_of(l, batch), context);
  }
}

void LayerStack::gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                                const PassContext& context, float* gradient) const {
  const auto after = std::upper_bound(offsets_.begin(), offsets_.end(), block.offset);
  // A layer without parameters starts where the next one does; the last that starts there has them.
  const auto layer = static_cast<std::size_t>(after - offsets_.begin()) - 1;
  layers_[layer]->gradient_block({.offset = block.offset - offsets_[layer], .count = block.count},
                                 batch_of(layer, batch), context, gradient + offsets_[layer]);
}

}  // namespace knockout
