// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "knockout/nn/networks/mlp.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

struct WideResNetOptions {
  std::int64_t depth = 28;  ///< 6n + 4: 10, 16, 22, 28, 34, 40, ...
  std::int64_t width = 10;  ///< Times the channels of the plain network (16, 32, 64).
  std::int64_t channels = 3;
  std::int64_t classes = 10;
  double dropout_rate = 0.0;  ///< Between the two convolutions of a block.
  /// Numbers per row that the classifier gets beside the image's features.
  std::int64_t side_inputs = 0;
  std::vector<std::int64_t> classifier_hidden = {};  ///< {} = a linear classifier.
};

/// Wide-ResNet (Zagoruyko and Komodakis 2016): three groups of pre-activation residual blocks, the
/// second and third at half the resolution of the one before, then the mean over the image. Images
/// [batch, channels, height, width] of any size -> scores [batch, classes]. Weights
/// start as in the paper (He et al. 2015, by fan-out); those before the classifier depend on the
/// seed alone, whatever the classifier is like.
///   WideResNet network(WideResNetOptions{.depth = 28, .width = 10, .side_inputs = 2});
///   torch::Tensor scores = network->forward(images, knockout->forward(side));
class WideResNetImpl : public torch::nn::Cloneable<WideResNetImpl> {
 public:
  /// Throws ConfigError for a depth that is not 6n + 4.
  explicit WideResNetImpl(WideResNetOptions options);
  void reset() override;

  /// What the network sees in an image: [batch, 64 * width].
  torch::Tensor features(const torch::Tensor& images);

  /// `side` [batch, side_inputs] goes to the classifier as it is, so that what is missing in it
  /// must have been knocked out already: privileged information, say, which no image has at
  /// prediction. Throws ConfigError when it is not what side_inputs says.
  torch::Tensor forward(const torch::Tensor& images, const torch::Tensor& side = {});

  /// The second half of forward(): from features() to scores.
  torch::Tensor classify(const torch::Tensor& features, const torch::Tensor& side = {});

 protected:
  FORWARD_HAS_DEFAULT_ARGS({1, torch::nn::AnyValue(torch::Tensor())})

 private:
  WideResNetOptions options_;
  torch::nn::Conv2d stem_{nullptr};
  torch::nn::Sequential blocks_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  Mlp classifier_{nullptr};
};
TORCH_MODULE(WideResNet);

}  // namespace knockout::nn
