// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace knockout {

/// What an encoder trained on ImageNet reads of a picture file, 3 x side x side: the shorter side
/// is made `shorter_side` pixels long, a square is cut from the middle and normalised. Throws
/// FileError and DataError with the path.
///   const std::vector<float> planes = imagenet_planes("acer.jpg", 256, 224);
std::vector<float> imagenet_planes(const std::string& path, int shorter_side, int side);

}  // namespace knockout
