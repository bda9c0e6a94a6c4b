// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/networks/layer.h"

namespace knockout {

/// Layers one after the other, with their parameters in one flat block in the same order. Layers
/// that work in place share a matrix with the layer before them. The first and the last matrix
/// belong to the caller, those between to the memory.
class LayerStack {
 public:
  /// Throws ModelFileError for no layers at all, and for layers that do not fit one another.
  explicit LayerStack(std::vector<LayerPointer> layers);

  const std::vector<LayerPointer>& layers() const { return layers_; }
  int inputs() const { return layers_.front()->inputs(); }
  int outputs() const { return layers_.back()->outputs(); }
  /// Columns of the first matrix: more than inputs() where layers in place let it grow.
  int input_columns() const { return columns_.front(); }
  /// Input and output are the same matrix: every layer works in place.
  bool in_place() const { return columns_.size() == 1; }
  int output_gradient_from(int gradient_from) const;

  std::size_t parameter_count() const { return offsets_.back(); }
  void initialize(const Random& random, float* parameters) const;
  std::vector<ParameterTensor> tensors() const;
  std::vector<ParameterBlock> blocks() const;
  std::vector<CodeInput> code_inputs() const;

  std::unique_ptr<LayerMemory> make_memory(const MemoryRequest& request) const;
  /// Floats for each row of a prediction: all matrices, and what the layers hold.
  std::size_t row_memory() const;
  /// As those of a layer; `batch.memory` is from make_memory().
  void forward(const float* parameters, const LayerBatch& batch, const PassContext& context) const;
  void backward(const float* parameters, const LayerBatch& batch, const PassContext& context) const;
  void gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                      const PassContext& context, float* gradient) const;

 private:
  LayerBatch batch_of(std::size_t layer, const LayerBatch& batch) const;

  std::vector<LayerPointer> layers_;
  std::vector<std::size_t> offsets_;  ///< Of each layer's parameters, and the end of the last.
  std::vector<int> columns_;          ///< Of each matrix.
  std::vector<std::size_t> input_matrix_, output_matrix_;  ///< Of each layer.
};

}  // namespace knockout
