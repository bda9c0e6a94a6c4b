// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "experiments/privileged/noisy_images.h"
#include "knockout/nn/torch.h"
#include "knockout/nn/training/dataset.h"

namespace knockout::experiments {

/// Where the colours of the training images lie; test images are scaled by the same numbers.
class PixelScale {
 public:
  /// Per channel the mean and deviation over all pixels of `images` (n x 3 x 32 x 32).
  static PixelScale fit(std::span<const std::uint8_t> images);

  float of(int channel, std::uint8_t pixel) const {
    return values_[static_cast<std::size_t>(channel)][pixel];
  }
  /// Images [begin, end) as a network sees them.
  torch::Tensor apply(std::span<const std::uint8_t> images, std::int64_t begin,
                      std::int64_t end) const;

 private:
  std::array<std::array<float, 256>, 3> values_;  ///< Of each channel, for each pixel value.
};

/// The training images with their labels as annotated. A batch has two inputs: images [rows, 3, 32,
/// 32] and the annotator and seconds [rows, 2]. With `augment`, an image is mirrored half the time
/// and shifted by up to 4 pixels in each direction, with zeros (the mean colour) where nothing is
/// left of it.
class NoisyImageDataset : public nn::Dataset {
 public:
  static constexpr int kMostShift = 4;

  /// `images` must outlive it.
  NoisyImageDataset(const NoisyImages& images, bool augment);
  std::size_t size() const override { return images_.count(); }
  nn::Batch get(std::span<const std::size_t> rows, const Random& random,
                std::uint64_t draw) const override;

  const PixelScale& scale() const { return scale_; }
  const torch::Tensor& side() const { return side_; }  ///< [images, 2]

 private:
  const NoisyImages& images_;
  bool augment_;
  PixelScale scale_;
  torch::Tensor side_, labels_;
};

}  // namespace knockout::experiments
