// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "media/image/picture.h"

namespace knockout {

/// Mean and standard deviation of the channels that encoders trained on ImageNet expect.
inline constexpr std::array<float, 3> kImageNetMean = {0.485F, 0.456F, 0.406F};
inline constexpr std::array<float, 3> kImageNetStddev = {0.229F, 0.224F, 0.225F};

/// Bilinear with antialiasing, pixel for pixel what Pillow's and torchvision's resizing of pictures
/// gives. In integers, hence the same everywhere. REQUIRES: width, height > 0. Throws DataError
/// above kMostPixels.
Picture resize(const Picture& picture, int width, int height);

/// Makes the shorter side `side` pixels long and keeps the proportions; the longer side is rounded
/// down.
Picture resize_shorter_side(const Picture& picture, int side);

/// The middle of a picture. Throws ConfigError when the picture is smaller than that.
Picture center_crop(const Picture& picture, int width, int height);

/// What a network reads: 3 x height x width of (value / 255 - mean) / stddev.
///   const std::vector<float> planes = to_planes(picture, kImageNetMean, kImageNetStddev);
std::vector<float> to_planes(const Picture& picture, const std::array<float, 3>& mean,
                             const std::array<float, 3>& stddev);

}  // namespace knockout
