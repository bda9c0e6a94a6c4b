// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/networks/layer_stack.h"

namespace knockout {

/// output = input + linear(dropout(relu(linear(input)))): a block that learns what to add to its
/// input, so that deep networks train as easily as shallow ones (He et al. 2016; for tables
/// Gorishniy et al. 2021, here without normalisation since inputs are already scaled).
class Residual final : public Layer {
 public:
  static constexpr std::string_view kKind = "residual";

  /// `inner` units between the two linear layers, which are number `number` and the next.
  /// `dropout` 0 = none.
  Residual(int number, int width, int inner, double dropout);
  static LayerPointer from_json(const nlohmann::json& json);

  std::string_view kind() const override { return kKind; }
  nlohmann::json to_json() const override;
  int inputs() const override { return width_; }
  int outputs() const override { return width_; }
  std::size_t parameter_count() const override { return branch_.parameter_count(); }
  void initialize(const Random& random, float* parameters) const override;
  std::vector<ParameterTensor> tensors() const override { return branch_.tensors(); }
  std::vector<ParameterBlock> blocks() const override { return branch_.blocks(); }
  int output_gradient_from(int /*gradient_from*/) const override { return 0; }

  std::unique_ptr<LayerMemory> make_memory(const MemoryRequest& request) const override;
  std::size_t row_memory() const override { return branch_.row_memory(); }
  void forward(const float* parameters, const LayerBatch& batch,
               const PassContext& context) const override;
  void backward(const float* parameters, const LayerBatch& batch,
                const PassContext& context) const override;
  void gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                      const PassContext& context, float* gradient) const override;

 private:
  int number_, width_, inner_;
  double dropout_;
  LayerStack branch_;
};

}  // namespace knockout
