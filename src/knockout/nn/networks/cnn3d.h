// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "knockout/nn/torch.h"

namespace knockout::nn {

struct Cnn3dOptions {
  std::int64_t channels = 1;
  std::vector<std::int64_t> widths = {16, 32, 64, 128};  ///< Channels of each block.
  double negative_slope = 0.01;                          ///< Of the leaky ReLU.
  /// What the last block's maps are averaged to before the linear layer. With a grid of a fixed
  /// size the same weights take volumes of any size, and where something lies is not lost as in a
  /// mean over everything. The default is what four halvings leave of a 40 x 100 x 100 volume,
  /// which therefore loses nothing.
  std::vector<std::int64_t> grid = {2, 6, 6};
  std::int64_t latent = 256;
  std::int64_t outputs = 1;  ///< 0 = no head: forward() gives the latent.
};

/// A classifier of volumes: blocks of convolution, batch norm, leaky ReLU and average pooling by
/// two, a linear layer to a latent, and a linear head on its ReLU. Volumes [batch, channels, depth,
/// height, width] -> scores [batch, outputs]. An encoder of a Fusion has no use for a head.
///   Cnn3d network(Cnn3dOptions{.channels = 1});
///   torch::Tensor scores = network->forward(volumes);
class Cnn3dImpl : public torch::nn::Cloneable<Cnn3dImpl> {
 public:
  explicit Cnn3dImpl(Cnn3dOptions options);
  void reset() override;
  /// [batch, latent]. Throws ConfigError for a volume that the blocks would halve away.
  torch::Tensor latent(const torch::Tensor& volumes);
  torch::Tensor forward(const torch::Tensor& volumes);

 private:
  Cnn3dOptions options_;
  std::int64_t least_side_;
  torch::nn::Sequential blocks_{nullptr};
  torch::nn::Linear to_latent_{nullptr}, head_{nullptr};
};
TORCH_MODULE(Cnn3d);

}  // namespace knockout::nn
