// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace knockout {

/// A colour picture, 8 bits per channel.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< height x width x 3
};

/// Larger pictures are refused before memory is taken for them: a few bytes can claim any size.
inline constexpr std::int64_t kMostPixels = 100'000'000;

/// Reads a JPEG (baseline or progressive; grey, colour or CMYK) or a PNG (any kind), which its
/// first bytes tell, not its name: collections from the web have pages, GIFs and empty files called
/// "x.jpg". Colours are those of Pillow's `.convert("RGB")`: alpha is dropped and an EXIF rotation
/// is not applied; only 16 bits of grey are scaled to 8 where Pillow clips them, and a PNG's gamma
/// is applied when it is not sRGB's. Throws FileError when the file cannot be read, DataError when
/// it is something else, truncated or damaged. Safe from any thread.
///   const Picture picture = read_picture("images/train/apple_pie/apple_pie_0.jpg");
Picture read_picture(const std::string& path);

/// The same for bytes in memory; `source` names them in messages.
Picture decode_picture(std::string_view bytes, const std::string& source);

/// Writes a picture; the file appears whole or not at all. JPEG keeps the full resolution of the
/// colours (4:4:4). REQUIRES: rgb has width x height x 3 bytes, quality in 1..100 (100 is best).
void write_jpeg(const Picture& picture, const std::string& path, int quality);
void write_png(const Picture& picture, const std::string& path);

}  // namespace knockout
