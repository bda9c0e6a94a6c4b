// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/cnn3d.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/nn/module/option_checks.h"

namespace knockout::nn {

Cnn3dImpl::Cnn3dImpl(Cnn3dOptions options)
    : options_(std::move(options)), least_side_(1LL << options_.widths.size()) {
  check_sizes("Cnn3d", {{"channels", options_.channels},
                        {"the number of blocks (widths)", options_.widths.size()},
                        {"latent", options_.latent},
                        {"outputs + 1", options_.outputs + 1}});
  if (options_.grid.size() != 3) {
    throw ConfigError(
        fmt::format("Cnn3d: the grid has three sides, not {}.", options_.grid.size()));
  }
  for (const std::int64_t side : options_.grid) {
    check_sizes("Cnn3d", {{"every side of the grid", side}});
  }
  for (const std::int64_t width : options_.widths) check_sizes("Cnn3d", {{"every width", width}});
  reset();
}

void Cnn3dImpl::reset() {
  blocks_ = register_module("blocks", torch::nn::Sequential());
  std::int64_t from = options_.channels;
  for (const std::int64_t width : options_.widths) {
    // No bias: the norm would take it away again.
    blocks_->push_back(
        torch::nn::Conv3d(torch::nn::Conv3dOptions(from, width, 3).padding(1).bias(false)));
    blocks_->push_back(torch::nn::BatchNorm3d(width));
    blocks_->push_back(torch::nn::LeakyReLU(
        torch::nn::LeakyReLUOptions().negative_slope(options_.negative_slope)));
    blocks_->push_back(torch::nn::AvgPool3d(2));
    from = width;
  }
  const std::int64_t cells = options_.grid[0] * options_.grid[1] * options_.grid[2];
  to_latent_ = register_module("to_latent", torch::nn::Linear(from * cells, options_.latent));
  if (options_.outputs > 0) {
    head_ = register_module("head", torch::nn::Linear(options_.latent, options_.outputs));
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
  const torch::Tensor maps = torch::adaptive_avg_pool3d(blocks_->forward(volumes), options_.grid);
  return to_latent_->forward(maps.flatten(1));
}

torch::Tensor Cnn3dImpl::forward(const torch::Tensor& volumes) {
  return head_.is_empty() ? latent(volumes) : head_->forward(torch::relu(latent(volumes)));
}

}  // namespace knockout::nn
