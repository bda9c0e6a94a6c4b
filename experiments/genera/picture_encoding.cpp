// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/picture_encoding.h"

#include <fstream>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"

namespace knockout::experiments {

std::string PicturePlace::name() const {
  return length ? fmt::format("{}, {} bytes from {}", path, *length, begin) : path;
}

std::string read_picture_bytes(const PicturePlace& place) {
  if (!place.length) return read_bytes(place.path, "the picture");
  std::ifstream file(place.path, std::ios::binary);
  std::string bytes(*place.length, '\0');
  file.seekg(static_cast<std::streamoff>(place.begin));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw FileError(fmt::format("{}: cannot be read.", place.name()));
  }
  return bytes;
}

}  // namespace knockout::experiments
