// SPDX-License-Identifier: Apache-2.0
#include "media/image/imagenet.h"

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "media/image/picture.h"
#include "media/image/transform.h"

namespace knockout {

std::vector<float> imagenet_planes(std::string_view bytes, const std::string& source,
                                   int shorter_side, int side) {
  const Picture picture = decode_picture(bytes, source);
  try {
    const Picture resized = resize_shorter_side(picture, shorter_side);
    return to_planes(center_crop(resized, side, side), kImageNetMean, kImageNetStddev);
  } catch (const Error& error) {  // these know no source
    throw DataError(fmt::format("{}: {}", source, error.what()));
  }
}

}  // namespace knockout
