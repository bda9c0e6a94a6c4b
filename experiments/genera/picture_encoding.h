// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace knockout::experiments {

/// Pictures to put through a TorchScript encoder.
struct PictureEncoding {
  std::string encoder;                ///< The TorchScript file: [n, 3, side, side] to [n, width].
  std::vector<std::string> pictures;  ///< Paths of JPEG and PNG files.
  int side = 224;                     ///< Of the square that is cut from the middle.
  int shorter_side = 256;             ///< Of the picture before that.
  int batch = 32;
  std::function<void(std::size_t done)> progress = {};
};

}  // namespace knockout::experiments
