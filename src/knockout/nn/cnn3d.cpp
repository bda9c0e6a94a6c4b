// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/cnn3d.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/nn/option_checks.h"

namespace knockout::nn {

Cnn3dImpl::Cnn3dImpl(const Cnn3dOptions& options)
    : least_side_(1LL << options.widths.size()), grid_(options.grid) {
  check_sizes("Cnn3d", {{"channels", options.channels},
                        {"the number of blocks (widths)", options.widths.size()},
                        {"latent", options.latent},
                        {"outputs + 1", options.outputs + 1}});
  if (grid_.size() != 3) {
    throw ConfigError(fmt::format("Cnn3d: the grid has three sides, not {}.", grid_.size()));
  }
  std::int64_t cells = 1;
  for (const std::int64_t side : grid_) {
    check_sizes("Cnn3d", {{"every side of the grid", side}});
    cells *= side;
  }
  std::int64_t from = options.channels;
  for (const std::int64_t width : options.widths) {
    check_sizes("Cnn3d", {{"every width", width}});
    // No bias: the norm would take it away again.
    blocks_->push_back(
        torch::nn::Conv3d(torch::nn::Conv3dOptions(from, width, 3).padding(1).bias(false)));
    blocks_->push_back(torch::nn::BatchNorm3d(width));
    blocks_->push_back(
        torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(options.negative_slope)));
    blocks_->push_back(torch::nn::AvgPool3d(2));
    from = width;
  }
  register_module("blocks", blocks_);
  to_latent_ = register_module("to_latent", torch::nn::Linear(from * cells, options.latent));
  if (options.outputs > 0) {
    head_ = register_module("head", torch::nn::Linear(options.latent, options.outputs));
  }
}

torch::Tensor Cnn3dImpl::latent(const torch::Tensor& volumes) {
  const torch::IntArrayRef sizes = volumes.sizes();
  if (sizes.size() != 5 || *std::min_element(sizes.begin() + 2, sizes.end()) < least_side_) {
    throw ConfigError(fmt::format(
        "Cnn3d: the volumes have the shape [{}]; expected [batch, channels, depth, height, width] "
        "with sides of at least {}, which the blocks halve.",
        fmt::join(sizes, ", "), least_side_));
  }
  const torch::Tensor maps = torch::adaptive_avg_pool3d(blocks_->forward(volumes), grid_);
  return to_latent_->forward(maps.flatten(1));
}

torch::Tensor Cnn3dImpl::forward(const torch::Tensor& volumes) {
  return head_.is_empty() ? latent(volumes) : head_->forward(torch::relu(latent(volumes)));
}

}  // namespace knockout::nn
