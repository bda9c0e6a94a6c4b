// SPDX-License-Identifier: Apache-2.0
#include "media/image/imagenet.h"

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "media/image/picture.h"
#include "media/image/transform.h"

namespace knockout {

std::vector<float> imagenet_planes(const std::string& path, int shorter_side, int side) {
  const Picture picture = read_picture(path);
  try {
    const Picture resized = resize_shorter_side(picture, shorter_side);
    return to_planes(center_crop(resized, side, side), kImageNetMean, kImageNetStddev);
  } catch (const Error& error) {  // these know no path
    throw DataError(fmt::format("{}: {}", path, error.what()));
  }
}

}  // namespace knockout
