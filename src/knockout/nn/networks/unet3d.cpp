// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/unet3d.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/nn/module/option_checks.h"

namespace knockout::nn {
namespace {

torch::nn::Sequential blocks(std::int64_t from, std::int64_t to, const UNet3dOptions& options) {
  torch::nn::Sequential sequence;
  for (std::int64_t block = 0; block < options.blocks; ++block) {
    // No bias: the norm would take it away again.
    sequence->push_back(torch::nn::Conv3d(
        torch::nn::Conv3dOptions(block == 0 ? from : to, to, 3).padding(1).bias(false)));
    sequence->push_back(
        torch::nn::InstanceNorm3d(torch::nn::InstanceNorm3dOptions(to).affine(true)));
    sequence->push_back(
        torch::nn::LeakyReLU(torch::nn::LeakyReLUOptions().negative_slope(options.negative_slope)));
  }
  return sequence;
}

}  // namespace

UNet3dImpl::UNet3dImpl(const UNet3dOptions& options) : options_(options) {
  check_sizes("UNet3d", {{"in_channels", options.in_channels},
                         {"out_channels", options.out_channels},
                         {"levels", options.levels},
                         {"blocks", options.blocks},
                         {"base_width", options.base_width}});
  multiple_ = 1LL << options.levels;
  reset();
}

void UNet3dImpl::reset() {
  down_.clear();
  up_.clear();
  enlarge_.clear();
  std::int64_t from = options_.in_channels;
  for (std::int64_t level = 0; level <= options_.levels; ++level) {
    const std::int64_t width = options_.base_width << level;
    down_.push_back(register_module(fmt::format("down{}", level), blocks(from, width, options_)));
    from = width;
  }
  for (std::int64_t level = 0; level < options_.levels; ++level) {
    const std::int64_t width = options_.base_width << level;
    enlarge_.push_back(
        register_module(fmt::format("enlarge{}", level),
                        torch::nn::ConvTranspose3d(
                            torch::nn::ConvTranspose3dOptions(2 * width, width, 2).stride(2))));
    up_.push_back(register_module(fmt::format("up{}", level), blocks(2 * width, width, options_)));
  }
  head_ = register_module("head", torch::nn::Conv3d(torch::nn::Conv3dOptions(
                                      options_.base_width, options_.out_channels, 1)));
}

torch::Tensor UNet3dImpl::forward(const torch::Tensor& volumes) {
  if (volumes.dim() != 5) {
    throw ConfigError(
        fmt::format("UNet3d: the volumes have the shape [{}]; expected [batch, channels, depth, "
                    "height, width].",
                    fmt::join(volumes.sizes(), ", ")));
  }
  // Padding is counted from the last dimension: {0, width, 0, height, 0, depth}.
  std::vector<std::int64_t> padding(6, 0);
  for (std::int64_t side = 0; side < 3; ++side) {
    padding[2 * side + 1] = (multiple_ - volumes.size(4 - side) % multiple_) % multiple_;
  }

  torch::Tensor x = torch::constant_pad_nd(volumes, padding);
  std::vector<torch::Tensor> skips;
  for (std::size_t level = 0; level < up_.size(); ++level) {
    skips.push_back(down_[level]->forward(x));
    x = torch::max_pool3d(skips.back(), 2);
  }
  x = down_.back()->forward(x);
  for (std::size_t level = up_.size(); level-- > 0;) {
    x = up_[level]->forward(torch::cat({skips[level], enlarge_[level]->forward(x)}, 1));
    skips.pop_back();  // without gradients this frees it at once
  }
  x = head_->forward(x);
  for (std::int64_t dimension = 2; dimension < 5; ++dimension) {
    x = x.narrow(dimension, 0, volumes.size(dimension));
  }
  return x;
}

}  // namespace knockout::nn
