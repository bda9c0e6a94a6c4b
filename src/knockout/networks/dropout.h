// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/networks/layer.h"

namespace knockout {

/// While training, sets each value to 0 with a probability and scales the others up so that the
/// mean stays (Srivastava et al. 2014); otherwise nothing. In place.
class Dropout final : public Layer {
 public:
  static constexpr std::string_view kKind = "dropout";

  /// `rate` is rounded to a multiple of 1/256. `number` (below 256) tells its random numbers from
  /// those of other dropout layers.
  Dropout(int number, int width, double rate);
  static LayerPointer from_json(const nlohmann::json& json);

  std::string_view kind() const override { return kKind; }
  nlohmann::json to_json() const override;
  int inputs() const override { return width_; }
  int outputs() const override { return width_; }
  bool in_place() const override { return true; }
  int output_gradient_from(int gradient_from) const override { return gradient_from; }

  std::unique_ptr<LayerMemory> make_memory(const MemoryRequest& request) const override;
  void forward(const float* parameters, const LayerBatch& batch,
               const PassContext& context) const override;
  void backward(const float* parameters, const LayerBatch& batch,
                const PassContext& context) const override;

 private:
  int number_, width_;
  double rate_;
  std::uint8_t drop_below_;  ///< A value is dropped when its random byte is less.
  float keep_scale_;
};

}  // namespace knockout
