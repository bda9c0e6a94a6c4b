// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/torch_noisy_dataset.h"

#include <algorithm>
#include <cmath>

namespace knockout::experiments {
namespace {

constexpr int kChannels = 3, kSide = 32, kPlane = kSide * kSide, kImage = kChannels * kPlane;

/// What is done to an image.
struct Change {
  bool mirror = false;
  int down = 0, right = 0;  ///< Pixels.
};

Change draw_change(const Random& random, std::uint64_t draw, std::uint32_t row) {
  constexpr std::uint32_t kShifts = 2 * NoisyImageDataset::kMostShift + 1;
  const auto shift = [&](std::uint32_t unit) {
    return static_cast<int>(random.below(kShifts, draw, row, unit)) - NoisyImageDataset::kMostShift;
  };
  return {random.below(2, draw, row, 0) == 1, shift(1), shift(2)};
}

/// REQUIRES: `to` is all zeros.
void write_image(const std::uint8_t* from, const PixelScale& scale, const Change& change,
                 float* to) {
  const int first_row = std::max(0, change.down), last_row = kSide + std::min(0, change.down);
  const int first_column = std::max(0, change.right);
  const int last_column = kSide + std::min(0, change.right);
  for (int channel = 0; channel < kChannels; ++channel) {
    for (int row = first_row; row < last_row; ++row) {
      const std::uint8_t* source = from + channel * kPlane + (row - change.down) * kSide;
      float* target = to + channel * kPlane + row * kSide;
      for (int column = first_column; column < last_column; ++column) {
        const int seen = column - change.right;
        target[column] = scale.of(channel, source[change.mirror ? kSide - 1 - seen : seen]);
      }
    }
  }
}

}  // namespace

PixelScale PixelScale::fit(std::span<const std::uint8_t> images) {
  PixelScale scale;
  for (int channel = 0; channel < kChannels; ++channel) {
    std::array<std::uint64_t, 256> counts = {};
    for (std::size_t image = 0; image < images.size() / kImage; ++image) {
      for (const std::uint8_t pixel : images.subspan(image * kImage + channel * kPlane, kPlane)) {
        ++counts[pixel];
      }
    }
    double sum = 0, squares = 0, count = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
      const auto times = static_cast<double>(counts[value]), number = static_cast<double>(value);
      count += times;
      sum += times * number;
      squares += times * number * number;
    }
    const double mean = count > 0 ? sum / count : 0;
    const double variance = count > 0 ? squares / count - mean * mean : 1;
    const double deviation = std::max(std::sqrt(std::max(variance, 0.0)), 1.0);  // of one colour
    for (std::size_t value = 0; value < counts.size(); ++value) {
      scale.values_[channel][value] =
          static_cast<float>((static_cast<double>(value) - mean) / deviation);
    }
  }
  return scale;
}

torch::Tensor PixelScale::apply(std::span<const std::uint8_t> images, std::int64_t begin,
                                std::int64_t end) const {
  torch::Tensor result = torch::zeros({end - begin, kChannels, kSide, kSide});
  for (std::int64_t i = begin; i < end; ++i) {
    write_image(images.data() + i * kImage, *this, {},
                result.data_ptr<float>() + (i - begin) * kImage);
  }
  return result;
}

NoisyImageDataset::NoisyImageDataset(const NoisyImages& images, bool augment)
    : images_(images), augment_(augment), scale_(PixelScale::fit(images.pixels)) {
  const auto options = torch::TensorOptions(torch::kFloat32);
  side_ = torch::stack(
      {torch::tensor(images.annotator, options), torch::tensor(images.seconds, options)}, 1);
  labels_ = torch::tensor(images.labels, torch::TensorOptions(torch::kInt64));
}

nn::Batch NoisyImageDataset::get(std::span<const std::size_t> rows, const Random& random,
                                 std::uint64_t draw) const {
  const torch::NoGradGuard no_gradients;
  const auto count = static_cast<std::int64_t>(rows.size());
  torch::Tensor images = torch::zeros({count, kChannels, kSide, kSide});
  for (std::int64_t i = 0; i < count; ++i) {
    const auto row = static_cast<std::uint32_t>(rows[i]);
    write_image(images_.pixels.data() + rows[i] * kImage, scale_,
                augment_ ? draw_change(random, draw, row) : Change{},
                images.data_ptr<float>() + i * kImage);
  }
  const torch::Tensor index =
      torch::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), torch::kInt64);
  return {{images, side_.index_select(0, index)},
          {},
          labels_.index_select(0, index),
          std::vector<std::size_t>(rows.begin(), rows.end())};
}

}  // namespace knockout::experiments
