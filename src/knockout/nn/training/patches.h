// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "knockout/base/random.h"
#include "knockout/nn/torch.h"

namespace knockout::nn {

// Volumes by patches, so that memory depends on the patch and not on the volume.

using PatchSize = std::array<std::int64_t, 3>;  ///< Depth, height, width.

struct Patch {
  torch::Tensor volume;  ///< [channels, depth, height, width]
  torch::Tensor labels;  ///< [depth, height, width]; undefined when none were given.
};

/// A random part of this size of `volume` [channels, depth, height, width] and of its `labels`
/// [depth, height, width] (may be undefined), for training. Where the volume is smaller than the
/// patch it is continued by zeros, and the labels by -1, which no loss counts. A channel that holds
/// no number (all NaN or Inf: it is missing) is continued by what it holds, and stays missing. A
/// pure function of the random numbers' seed, `draw` (the pass over the data) and `row`. The
/// tensors are copies: a batch of them does not keep the volumes in memory.
Patch random_patch(const torch::Tensor& volume, const torch::Tensor& labels, const PatchSize& size,
                   const Random& random, std::uint64_t draw, std::uint32_t row);

struct PatchOptions {
  PatchSize size = {96, 96, 96};
  double overlap = 0.5;  ///< Share of a patch that its neighbour sees as well, at least.
};

/// Applies a network to `volume` [batch, channels, depth, height, width] patch by patch, one at a
/// time and without gradients, and blends what overlapping patches say with weights that fall
/// towards their borders, where a network sees least. What a network says of each voxel alone comes
/// out as if it had seen the whole volume. Patches are as large as `size` says, or as the volume
/// where it is smaller. The result stays on the volume's device, whatever device the network uses:
///   predict_by_patches([&](const torch::Tensor& patch) { return network->forward(patch); },
///   volume)
torch::Tensor predict_by_patches(const std::function<torch::Tensor(const torch::Tensor&)>& network,
                                 const torch::Tensor& volume, const PatchOptions& options = {});

}  // namespace knockout::nn
