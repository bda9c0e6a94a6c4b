// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/networks/layer.h"

namespace knockout {

/// output = input x weight + bias. Its parameters are an (inputs + 1) x outputs matrix, row-major,
/// whose last row is the bias: it meets the 1 behind every input row, so that one product does
/// both.
class Linear final : public Layer {
 public:
  static constexpr std::string_view kKind = "linear";
  /// Parameter rows per gradient block, about. Fixed, since it decides the bits of the result.
  static constexpr int kBlockRows = 128;

  /// `number` names its tensors and its random numbers, so that growing one layer leaves the
  /// others' initial weights as they were.
  Linear(int number, int inputs, int outputs);
  static LayerPointer from_json(const nlohmann::json& json);

  std::string_view kind() const override { return kKind; }
  nlohmann::json to_json() const override;
  int inputs() const override { return inputs_; }
  int outputs() const override { return outputs_; }
  std::size_t parameter_count() const override;
  /// Weights and bias uniform on +-1/sqrt(inputs): what LibTorch does by default.
  void initialize(const Random& random, float* parameters) const override;
  std::vector<ParameterTensor> tensors() const override;
  std::vector<ParameterBlock> blocks() const override;
  int output_gradient_from(int /*gradient_from*/) const override { return 0; }

  void forward(const float* parameters, const LayerBatch& batch,
               const PassContext& context) const override;
  void backward(const float* parameters, const LayerBatch& batch,
                const PassContext& context) const override;
  void gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                      const PassContext& context, float* gradient) const override;

 private:
  int number_, inputs_, outputs_;
};

}  // namespace knockout
