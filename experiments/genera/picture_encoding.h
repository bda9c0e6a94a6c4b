// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace knockout::experiments {

/// Where the bytes of a JPEG or PNG picture lie.
struct PicturePlace {
  std::string path;
  std::uint64_t begin = 0;                   ///< The first of its bytes in the file.
  std::optional<std::uint64_t> length = {};  ///< None = up to the end of the file.

  /// For messages: the path, and which part of the file where it is not all of it.
  std::string name() const;
};

/// Throws FileError when they cannot be read.
std::string read_picture_bytes(const PicturePlace& place);

/// Pictures to put through a TorchScript encoder.
struct PictureEncoding {
  std::string encoder;  ///< The TorchScript file: [n, 3, side, side] to [n, width].
  std::vector<PicturePlace> pictures;
  int side = 224;          ///< Of the square that is cut from the middle.
  int shorter_side = 256;  ///< Of the picture before that.
  int batch = 32;
  std::function<void(std::size_t done)> progress = {};
};

}  // namespace knockout::experiments
