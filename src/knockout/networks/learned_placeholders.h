// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/networks/architecture.h"
#include "knockout/networks/layer.h"

namespace knockout {

class Encoder;

/// Puts placeholders on the values' own axes, where the network learns them with its weights: the
/// value of a gap becomes start + parameter, and the input that said "missing" becomes 0. The
/// parameter starts at 0, which is also where weight decay pulls it.
class LearnedPlaceholders final : public Layer {
 public:
  static constexpr std::string_view kKind = "placeholders";

  LearnedPlaceholders(int width, std::vector<GapInput> gaps);
  static LayerPointer from_json(const nlohmann::json& json);

  std::string_view kind() const override { return kKind; }
  nlohmann::json to_json() const override;
  int inputs() const override { return width_; }
  int outputs() const override { return width_; }
  std::size_t parameter_count() const override { return gaps_.size(); }
  void initialize(const Random& random, float* parameters) const override;
  std::vector<ParameterTensor> tensors() const override;
  std::vector<ParameterBlock> blocks() const override;
  /// Parameters need the gradients of all values.
  int output_gradient_from(int /*gradient_from*/) const override { return 0; }

  void forward(const float* parameters, const LayerBatch& batch,
               const PassContext& context) const override;
  void backward(const float* parameters, const LayerBatch& batch,
                const PassContext& context) const override;
  void gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                      const PassContext& context, float* gradient) const override;

 private:
  int width_;
  std::vector<GapInput> gaps_;
};

/// The inputs of gaps that an encoder wrote, of columns of numbers whose gaps are not on their axis
/// already.
std::vector<GapInput> gap_inputs_of(const Encoder& encoder);

}  // namespace knockout
