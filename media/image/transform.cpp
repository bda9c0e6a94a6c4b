// SPDX-License-Identifier: Apache-2.0
#include "media/image/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"

namespace knockout {
namespace {

constexpr int kWeightBits = 22;  // 8 bits of value and 22 of weight fit 32, with two to spare

/// Which input pixels an output pixel is the weighted mean of.
struct Window {
  int first = 0;
  std::vector<std::int32_t> weights;  ///< They sum to about 2^kWeightBits.
};

/// Triangles around each output pixel's centre. They widen with the reduction, so that every input
/// pixel counts; when enlarging, they span the two nearest ones.
std::vector<Window> triangle_windows(int from, int to) {
  const double step = static_cast<double>(from) / to;
  const double reach = std::max(step, 1.0);
  std::vector<Window> windows(static_cast<std::size_t>(to));
  std::vector<double> heights;
  for (int i = 0; i < to; ++i) {
    const double centre = (i + 0.5) * step;
    // Halves go up, as Pillow does. NOLINTNEXTLINE(bugprone-incorrect-roundings)
    const int first = std::max(static_cast<int>(centre - reach + 0.5), 0);
    // NOLINTNEXTLINE(bugprone-incorrect-roundings)
    const int last = std::min(static_cast<int>(centre + reach + 0.5), from);
    double sum = 0;
    heights.clear();
    for (int j = first; j < last; ++j) {
      heights.push_back(std::max(0.0, 1 - std::abs(j + 0.5 - centre) / reach));
      sum += heights.back();
    }
    Window& window = windows[static_cast<std::size_t>(i)];
    window.first = first;
    for (const double height : heights) {
      window.weights.push_back(
          static_cast<std::int32_t>(std::lround(height / sum * (1 << kWeightBits))));
    }
  }
  return windows;
}

std::uint8_t rounded(std::int32_t sum) {
  return static_cast<std::uint8_t>(std::clamp(sum >> kWeightBits, 0, 255));
}

constexpr std::int32_t kHalf = 1 << (kWeightBits - 1);

/// A picture whose pixels are still to be set.
Picture blank(int width, int height) {
  const std::size_t pixels = std::size_t(width) * std::size_t(height);
  return {width, height, std::vector<std::uint8_t>(pixels * 3)};
}

Picture resize_width(const Picture& picture, int width) {
  const std::vector<Window> windows = triangle_windows(picture.width, width);
  Picture result = blank(width, picture.height);
  const std::size_t row_bytes = std::size_t(picture.width) * 3;
  std::uint8_t* out = result.rgb.data();
  for (std::size_t row = 0; row < std::size_t(picture.height); ++row) {
    for (const Window& window : windows) {
      const std::uint8_t* in = &picture.rgb[row * row_bytes + std::size_t(window.first) * 3];
      std::int32_t red = kHalf;
      std::int32_t green = kHalf;
      std::int32_t blue = kHalf;
      for (const std::int32_t weight : window.weights) {
        red += weight * in[0];
        green += weight * in[1];
        blue += weight * in[2];
        in += 3;
      }
      *out++ = rounded(red);
      *out++ = rounded(green);
      *out++ = rounded(blue);
    }
  }
  return result;
}

Picture resize_height(const Picture& picture, int height) {
  Picture result = blank(picture.width, height);
  const std::size_t row_bytes = std::size_t(picture.width) * 3;
  std::vector<std::int32_t> sums(row_bytes);
  std::uint8_t* out = result.rgb.data();
  for (const Window& window : triangle_windows(picture.height, height)) {
    std::fill(sums.begin(), sums.end(), kHalf);
    const std::uint8_t* in = &picture.rgb[std::size_t(window.first) * row_bytes];
    for (const std::int32_t weight : window.weights) {
      for (std::size_t i = 0; i < row_bytes; ++i) sums[i] += weight * in[i];
      in += row_bytes;
    }
    out = std::transform(sums.begin(), sums.end(), out, rounded);
  }
  return result;
}

}  // namespace

Picture resize(const Picture& picture, int width, int height) {
  assert(picture.width > 0 && picture.height > 0 && width > 0 && height > 0);
  // The picture between the two passes is the widest and the highest of both.
  if (std::int64_t{width} * std::max(height, picture.height) > kMostPixels) {
    throw DataError(fmt::format(
        "a picture of {} x {} pixels would be resized to {} x {}; at most {} pixels are "
        "computed.\n  Leave the picture out.",
        picture.width, picture.height, width, height, with_thousands(kMostPixels)));
  }
  if (width == picture.width && height == picture.height) return picture;
  return resize_height(resize_width(picture, width), height);
}

Picture resize_shorter_side(const Picture& picture, int side) {
  const auto longer = static_cast<int>(
      std::min<std::int64_t>(std::int64_t{side} * std::max(picture.width, picture.height) /
                                 std::min(picture.width, picture.height),
                             kMostPixels));
  return picture.width <= picture.height ? resize(picture, side, longer)
                                         : resize(picture, longer, side);
}

Picture center_crop(const Picture& picture, int width, int height) {
  if (width < 1 || height < 1 || width > picture.width || height > picture.height) {
    throw ConfigError(
        fmt::format("cannot cut {} x {} pixels out of a picture of {} x {}.\n"
                    "  Resize it to at least that first.",
                    width, height, picture.width, picture.height));
  }
  // Halves go to the even neighbour, as torchvision has it.
  const long left = std::lrint((picture.width - width) / 2.0);
  const long top = std::lrint((picture.height - height) / 2.0);
  Picture result = blank(width, height);
  auto out = result.rgb.begin();
  for (long row = top; row < top + height; ++row) {
    const auto first = picture.rgb.begin() + (row * picture.width + left) * 3;
    out = std::copy(first, first + std::ptrdiff_t{width} * 3, out);
  }
  return result;
}

std::vector<float> to_planes(const Picture& picture, const std::array<float, 3>& mean,
                             const std::array<float, 3>& stddev) {
  const std::size_t pixels = picture.rgb.size() / 3;
  std::vector<float> planes(picture.rgb.size());
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (std::size_t i = 0; i < pixels; ++i) {
      const float value = static_cast<float>(picture.rgb[i * 3 + channel]) / 255.0F;
      planes[channel * pixels + i] = (value - mean[channel]) / stddev[channel];
    }
  }
  return planes;
}

}  // namespace knockout
