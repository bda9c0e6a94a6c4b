// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/networks/layer.h"

namespace knockout {

/// max(x, 0) of every value, in place.
class Relu final : public Layer {
 public:
  static constexpr std::string_view kKind = "relu";

  explicit Relu(int width) : width_(width) {}
  static LayerPointer from_json(const nlohmann::json& json);

  std::string_view kind() const override { return kKind; }
  nlohmann::json to_json() const override;
  int inputs() const override { return width_; }
  int outputs() const override { return width_; }
  bool in_place() const override { return true; }
  int output_gradient_from(int gradient_from) const override { return gradient_from; }

  void forward(const float* parameters, const LayerBatch& batch,
               const PassContext& context) const override;
  void backward(const float* parameters, const LayerBatch& batch,
                const PassContext& context) const override;

 private:
  int width_;
};

}  // namespace knockout
