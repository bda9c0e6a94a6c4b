// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "knockout/nn/torch.h"

namespace knockout::nn {

struct UNet3dOptions {
  std::int64_t in_channels = 4;
  std::int64_t out_channels = 4;
  std::int64_t levels = 4;       ///< Down-samplings by two.
  std::int64_t blocks = 2;       ///< Convolutions per resolution, on the way down and up.
  std::int64_t base_width = 16;  ///< Channels at full resolution, doubled at each level.
  double negative_slope = 0.01;  ///< Of the leaky ReLU; 0 = ReLU.
};

/// U-Net (Ronneberger et al. 2015) for volumes: blocks of convolution, instance norm and leaky ReLU
/// on the way down and up, with skip connections at each resolution. [batch, in_channels, depth,
/// height, width] -> [batch, out_channels, depth, height, width]. Any size: volumes are padded with
/// zeros to a multiple of 2^levels, and the output is cut back. Volumes that do not fit into memory
/// go by patches (patches.h).
///   UNet3d network(UNet3dOptions{.in_channels = 4, .out_channels = 4});
///   torch::Tensor scores = network->forward(volumes);
class UNet3dImpl : public torch::nn::Cloneable<UNet3dImpl> {
 public:
  explicit UNet3dImpl(const UNet3dOptions& options);
  void reset() override;
  torch::Tensor forward(const torch::Tensor& volumes);

 private:
  UNet3dOptions options_;
  std::int64_t multiple_;                         ///< What every side is padded to a multiple of.
  std::vector<torch::nn::Sequential> down_, up_;  ///< By level; the last of down_ is the bottom.
  std::vector<torch::nn::ConvTranspose3d> enlarge_;
  torch::nn::Conv3d head_{nullptr};
};
TORCH_MODULE(UNet3d);

}  // namespace knockout::nn
