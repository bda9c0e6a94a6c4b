// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/patches.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/nn/module/option_checks.h"

namespace knockout::nn {
namespace {

void check_size(const PatchSize& size) {
  for (const std::int64_t side : size) check_sizes("patches", {{"every side of a patch", side}});
}

/// One patch along one side: voxels [begin, begin + weights), and how much it counts at each.
struct Interval {
  std::int64_t begin;
  torch::Tensor weights;
};

/// Patches of `length` over a side of `extent`, evenly spread. Their weights sum to one at each
/// voxel; as the patches form a grid, so do the products of the weights of three sides.
std::vector<Interval> cover(std::int64_t extent, std::int64_t length, double overlap) {
  length = std::min(length, extent);
  const auto stride = std::max<std::int64_t>(1, std::llround(std::floor(length * (1.0 - overlap))));
  const std::int64_t gaps = (extent - length + stride - 1) / stride;  // between first and last

  const torch::Tensor rising = torch::arange(1, length + 1, torch::kFloat64);
  const torch::Tensor tent = torch::minimum(rising, rising.flip(0));
  const torch::Tensor total = torch::zeros(extent, torch::kFloat64);
  std::vector<Interval> intervals;
  for (std::int64_t i = 0; i <= gaps; ++i) {
    const std::int64_t begin = gaps == 0 ? 0 : i * (extent - length) / gaps;
    intervals.push_back({begin, tent});
    total.narrow(0, begin, length) += tent;
  }
  for (Interval& interval : intervals) {
    interval.weights = tent / total.narrow(0, interval.begin, length);
  }
  return intervals;
}

/// A part of the three last dimensions.
torch::Tensor part(torch::Tensor tensor, const PatchSize& begin, const PatchSize& size) {
  for (std::int64_t side = 0; side < 3; ++side) {
    tensor = tensor.narrow(side - 3, begin[side], size[side]);
  }
  return tensor;
}

/// What goes on beyond the border of [channels, depth, height, width], [channels, 1, 1, 1].
torch::Tensor continuation(const torch::Tensor& volume) {
  const torch::Tensor cells = volume.flatten(1);
  const torch::Tensor beyond =
      torch::where(cells.isfinite().any(1), torch::zeros({}, cells.options()), cells.select(1, 0));
  return beyond.reshape({-1, 1, 1, 1});
}

}  // namespace

Patch random_patch(const torch::Tensor& volume, const torch::Tensor& labels, const PatchSize& size,
                   const Random& random, std::uint64_t draw, std::uint32_t row) {
  check_size(size);
  if (volume.dim() != 4 || (labels.defined() && labels.sizes() != volume.sizes().slice(1))) {
    throw ConfigError(
        fmt::format("random_patch: the volume has the shape [{}] and the labels [{}]; expected "
                    "[channels, depth, height, width] and [depth, height, width].",
                    fmt::join(volume.sizes(), ", "),
                    fmt::join(labels.defined() ? labels.sizes() : torch::IntArrayRef(), ", ")));
  }
  PatchSize begin, inside;
  for (std::uint32_t side = 0; side < 3; ++side) {
    const std::int64_t extent = volume.size(side + 1);
    inside[side] = std::min(size[side], extent);
    const auto places = static_cast<std::uint32_t>(extent - inside[side] + 1);
    begin[side] = random.below(places, draw, row, side);
  }
  const auto cut = [&](const torch::Tensor& tensor, const torch::Tensor& beyond) {
    std::vector<std::int64_t> shape = tensor.sizes().vec();
    std::copy(size.begin(), size.end(), shape.end() - 3);
    const torch::Tensor patch = beyond.expand(shape).clone(torch::MemoryFormat::Contiguous);
    part(patch, {0, 0, 0}, inside).copy_(part(tensor, begin, inside));
    return patch;
  };
  torch::Tensor beyond = torch::zeros({}, volume.options());
  if (inside != size) beyond = continuation(part(volume, begin, inside));
  Patch patch{.volume = cut(volume, beyond), .labels = {}};
  if (labels.defined()) {  // they are often bytes, which have no -1
    patch.labels = cut(labels, torch::full({}, -1, labels.options().dtype(torch::kInt64)));
  }
  return patch;
}

torch::Tensor predict_by_patches(const std::function<torch::Tensor(const torch::Tensor&)>& network,
                                 const torch::Tensor& volume, const PatchOptions& options) {
  check_size(options.size);
  check_rate("patches", "overlap", options.overlap);
  if (volume.dim() != 5) {
    throw ConfigError(
        fmt::format("predict_by_patches: the volume has the shape [{}]; expected [batch, channels, "
                    "depth, height, width].",
                    fmt::join(volume.sizes(), ", ")));
  }
  const torch::NoGradGuard no_gradients;
  std::array<std::vector<Interval>, 3> sides;
  for (std::size_t side = 0; side < 3; ++side) {
    sides[side] = cover(volume.size(side + 2), options.size[side], options.overlap);
  }

  torch::Tensor blended;
  for (const Interval& z : sides[0]) {
    for (const Interval& y : sides[1]) {
      for (const Interval& x : sides[2]) {
        const PatchSize begin = {z.begin, y.begin, x.begin};
        const PatchSize size = {z.weights.size(0), y.weights.size(0), x.weights.size(0)};
        const torch::Tensor said = network(part(volume, begin, size)).to(volume.device());
        if (!blended.defined()) {
          std::vector<std::int64_t> shape = volume.sizes().vec();
          shape[1] = said.size(1);
          blended = torch::zeros(shape, said.options());
        }
        const torch::Tensor weights =
            z.weights.reshape({-1, 1, 1}) * y.weights.reshape({-1, 1}) * x.weights;
        part(blended, begin, size).add_(said * weights.to(said.options()));
      }
    }
  }
  return blended;
}

}  // namespace knockout::nn
