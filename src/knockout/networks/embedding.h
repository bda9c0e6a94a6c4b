// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/networks/layer.h"

namespace knockout {

/// Appends to each row the vector that its code of one column stands for: a table of `rows` x
/// `dimension` numbers that the network learns. In place.
class Embedding final : public Layer {
 public:
  static constexpr std::string_view kKind = "embedding";

  /// `code` is the position of the column among the embedded ones; `inputs` the width of a row
  /// before it grows.
  Embedding(int inputs, int code, std::string column, int rows, int dimension);
  static LayerPointer from_json(const nlohmann::json& json);

  std::string_view kind() const override { return kKind; }
  nlohmann::json to_json() const override;
  int inputs() const override { return inputs_; }
  int outputs() const override { return inputs_ + dimension_; }
  bool in_place() const override { return true; }
  std::size_t parameter_count() const override;
  /// Standard normal, as LibTorch does by default.
  void initialize(const Random& random, float* parameters) const override;
  std::vector<ParameterTensor> tensors() const override;
  std::vector<ParameterBlock> blocks() const override;
  std::vector<CodeInput> code_inputs() const override;
  int output_gradient_from(int gradient_from) const override;

  void forward(const float* parameters, const LayerBatch& batch,
               const PassContext& context) const override;
  /// Nothing to do: the gradient of the inputs stands where that of the outputs does.
  void backward(const float* /*parameters*/, const LayerBatch& /*batch*/,
                const PassContext& /*context*/) const override {}
  void gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                      const PassContext& context, float* gradient) const override;

 private:
  int inputs_, code_;
  std::string column_;
  int rows_, dimension_;
};

}  // namespace knockout
