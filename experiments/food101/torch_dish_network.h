// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "experiments/food101/food101.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/networks/mlp.h"
#include "knockout/nn/networks/script_encoder.h"
#include "knockout/nn/training/dataset.h"

namespace knockout::experiments {

/// Both encoders, the picture's features brought to the text's width, Z-scores of both, Knockout
/// (zeros, which is also their mean), and a head.
///   network->set_scale(latents of the training rows);  // again whenever the encoders have learned
///   torch::Tensor scores = network->forward(batch);
class DishNetworkImpl : public torch::nn::Module {
 public:
  /// `example` has one row. Throws ModelFileError for an encoder that does not take it.
  DishNetworkImpl(const Food101Options& options, const std::string& picture_encoder,
                  const std::string& text_encoder, const nn::Batch& example, std::int64_t classes,
                  double knockout_rate, std::uint64_t seed);

  /// [rows, 2 x width]: what the encoders make of the picture, then of the text.
  torch::Tensor latents(const nn::Batch& batch);
  /// Mean and standard deviation of each latent, from those of some rows. Buffers: part of a
  /// checkpoint.
  void set_scale(const torch::Tensor& latents);
  /// latents() in Z-scores.
  torch::Tensor features(const nn::Batch& batch);

  torch::Tensor classify(const torch::Tensor& features, const torch::Tensor& presence = {});
  torch::Tensor forward(const nn::Batch& batch) { return classify(features(batch)); }

 private:
  nn::ScriptEncoder pictures_{nullptr}, texts_{nullptr};
  torch::nn::Linear to_text_width_{nullptr};
  torch::Tensor means_, stddevs_;
  nn::Knockout knockout_{nullptr};
  nn::Mlp head_{nullptr};
};
TORCH_MODULE(DishNetwork);

}  // namespace knockout::experiments
