// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knockout {

/// What an encoder trained on ImageNet reads of a JPEG or PNG, 3 x side x side: the shorter side is
/// made `shorter_side` pixels long, a square is cut from the middle and normalised. Throws
/// DataError that begins with `source`, which names the bytes.
///   const std::vector<float> planes = imagenet_planes(bytes, "acer.jpg", 256, 224);
std::vector<float> imagenet_planes(std::string_view bytes, const std::string& source,
                                   int shorter_side, int side);

}  // namespace knockout
