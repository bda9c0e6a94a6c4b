// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for JPEG and PNG pictures and the way to what an encoder reads of them: whatever
// the bytes, they are read or refused with a DataError. Checksums of PNG are put right before, and
// files that claim many pixels, which are read but slowly, are passed over.
#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "fuzz/shared/temporary_folder.h"
#include "knockout/base/error.h"
#include "media/image/picture.h"
#include "media/image/transform.h"

namespace {

using namespace knockout;

constexpr std::uint64_t kFewPixels = 100'000;
constexpr std::size_t kPngMark = 8;

std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = at; i < at + count && i < bytes.size(); ++i) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return value;
}

/// Gives every chunk of a PNG the checksum that its content has.
void mend_checksums(std::string& png) {
  for (std::size_t at = kPngMark; at + 12 <= png.size();) {
    const std::uint64_t length = big_endian(png, at, 4);
    if (length > png.size() - at - 12) return;
    const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(png.data()) + at + 4, length + 4);
    for (std::size_t i = 0; i < 4; ++i) {
      png[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i));
    }
    at += 12 + length;
  }
}

bool claims_many_pixels(std::string_view bytes) {
  if (big_endian(bytes, 16, 4) * big_endian(bytes, 20, 4) > kFewPixels &&
      bytes.starts_with("\x89PNG")) {
    return true;
  }
  // A JPEG says it after a marker of one of these kinds.
  for (std::size_t at = 0; at + 9 < bytes.size(); ++at) {
    const bool is_frame = bytes[at] == '\xff' && (bytes[at + 1] & '\xf0') == '\xc0';
    if (is_frame && big_endian(bytes, at + 5, 2) * big_endian(bytes, at + 7, 2) > kFewPixels) {
      return bytes.starts_with("\xff\xd8");
    }
  }
  return false;
}

Picture sample_picture() {
  Picture picture{6, 5, {}};
  for (int i = 0; i < 6 * 5 * 3; ++i) picture.rgb.push_back(static_cast<std::uint8_t>(i * 37));
  return picture;
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  const fuzz::TemporaryFolder folder;
  write_png(sample_picture(), folder.path("seed.png"));
  write_jpeg(sample_picture(), folder.path("seed.jpg"), 80);
  return {folder.read("seed.png"), folder.read("seed.jpg"), "GIF89a", "<!DOCTYPE html>"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (claims_many_pixels(bytes)) return 0;
  if (bytes.starts_with("\x89PNG")) mend_checksums(bytes);
  try {
    const Picture picture = decode_picture(bytes, "fuzz");
    fuzz::require(picture.width > 0 && picture.height > 0 &&
                      picture.rgb.size() == std::size_t(picture.width) * picture.height * 3,
                  "as many pixels as the size says");
    constexpr int kSide = 4;
    const Picture small = center_crop(resize_shorter_side(picture, kSide), kSide, kSide);
    for (const float value : to_planes(small, kImageNetMean, kImageNetStddev)) {
      fuzz::require(std::isfinite(value), "finite planes");
    }
  } catch (const DataError&) {
  }
  return 0;
}
