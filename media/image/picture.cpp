// SPDX-License-Identifier: Apache-2.0
#include "media/image/picture.h"

#include <fmt/format.h>
#include <png.h>
#include <turbojpeg.h>

#include <cassert>
#include <memory>
#include <new>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/base/wording.h"
#include "media/image/sniff.h"

namespace knockout {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kCopyAgain = "Copy or download the picture again, or leave it out.";

[[noreturn]] void throw_bad(const std::string& source, std::string_view what) {
  throw DataError(fmt::format("{}: {}.\n  {}", source, what, kCopyAgain));
}

void check_size(std::int64_t width, std::int64_t height, const std::string& source) {
  if (width * height > kMostPixels) {
    throw DataError(
        fmt::format("{}: the picture has {} x {} pixels; at most {} altogether are read.\n"
                    "  Make it smaller first, or leave it out.",
                    source, width, height, with_thousands(kMostPixels)));
  }
}

struct JpegCloser {
  void operator()(void* handle) const { tjDestroy(handle); }
};
using JpegHandle = std::unique_ptr<void, JpegCloser>;

JpegHandle checked(tjhandle handle) {
  if (handle == nullptr) throw std::bad_alloc();
  return JpegHandle(handle);
}

/// Whether the marker that ends a JPEG follows its last scan. Within a scan neither marker can
/// occur, since each byte ff of the data is followed by 00.
bool has_end(std::string_view bytes) {
  const std::size_t end = bytes.rfind("\xff\xd9"sv);
  const std::size_t scan = bytes.rfind("\xff\xda"sv);
  return end != std::string_view::npos && (scan == std::string_view::npos || end > scan);
}

/// Whether a warning of libjpeg means that pixels are wrong. Stray bytes between the parts of a
/// file and odd version numbers, frequent on the web, harm nothing.
bool spoils_pixels(std::string_view warning) {
  return warning.starts_with("Premature end"sv) ||
         (warning.starts_with("Corrupt JPEG data"sv) &&
          warning.find("extraneous bytes"sv) == std::string_view::npos);
}

/// a * b / 255, rounded, as Pillow computes it.
int times(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

/// CMYK in JPEG is stored inverted: 255 is no ink.
void convert_inverted_cmyk(std::string_view cmyk, std::vector<std::uint8_t>& rgb) {
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    const std::size_t pixel = i / 3 * 4;
    const int ink = 255 - static_cast<std::uint8_t>(cmyk[pixel + i % 3]);
    const int light = static_cast<std::uint8_t>(cmyk[pixel + 3]);
    rgb[i] = static_cast<std::uint8_t>(light - times(ink, light));
  }
}

Picture decode_jpeg(std::string_view bytes, const std::string& source) {
  if (!has_end(bytes)) throw_bad(source, "the JPEG is truncated: it has no end marker");
  const JpegHandle jpeg = checked(tjInitDecompress());
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  Picture picture;
  int subsampling = -1;
  int colours = -1;
  // It also fails for a rare subsampling that decoding copes with; then it has set all but that.
  const int status = tjDecompressHeader3(jpeg.get(), data, bytes.size(), &picture.width,
                                         &picture.height, &subsampling, &colours);
  if (picture.width < 1 || picture.height < 1 || colours < 0) {
    const char* const reason = status != 0 ? tjGetErrorStr2(jpeg.get()) : "no picture in it";
    throw_bad(source, fmt::format("the JPEG cannot be read ({})", reason));
  }
  check_size(picture.width, picture.height, source);

  const std::size_t pixels = std::size_t(picture.width) * std::size_t(picture.height);
  const bool is_cmyk = colours == TJCS_CMYK || colours == TJCS_YCCK;
  picture.rgb.resize(pixels * 3);
  std::string cmyk(is_cmyk ? pixels * 4 : 0, '\0');
  auto* const out = is_cmyk ? reinterpret_cast<unsigned char*>(cmyk.data()) : picture.rgb.data();
  // Without a limit on scans, a small progressive file can keep the decoder busy for hours.
  if (tjDecompress2(jpeg.get(), data, bytes.size(), out, picture.width, 0, picture.height,
                    is_cmyk ? TJPF_CMYK : TJPF_RGB, TJFLAG_LIMITSCANS) != 0) {
    const std::string_view reason = tjGetErrorStr2(jpeg.get());
    if (tjGetErrorCode(jpeg.get()) == TJERR_FATAL || spoils_pixels(reason)) {
      throw_bad(source, fmt::format("the JPEG is truncated or damaged ({})", reason));
    }
  }
  if (is_cmyk) convert_inverted_cmyk(cmyk, picture.rgb);
  return picture;
}

struct PngImage : png_image {
  PngImage() : png_image{} { version = PNG_IMAGE_VERSION; }
  ~PngImage() { png_image_free(this); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
};

Picture decode_png(std::string_view bytes, const std::string& source) {
  PngImage png;
  const auto fail = [&] {
    throw_bad(source, fmt::format("the PNG is truncated or damaged ({})", png.message));
  };
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size())) fail();
  check_size(png.width, png.height, source);
  // With alpha, since without it libpng would mix the colours with a background.
  png.format = PNG_FORMAT_RGBA;
  png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  std::vector<std::uint8_t> rgba(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, nullptr, rgba.data(), 0, nullptr)) fail();

  Picture picture{static_cast<int>(png.width), static_cast<int>(png.height), {}};
  picture.rgb.resize(rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) picture.rgb[i] = rgba[i / 3 * 4 + i % 3];
  return picture;
}

void check_whole(const Picture& picture) {
  assert(picture.width > 0 && picture.height > 0);
  assert(picture.rgb.size() == std::size_t(picture.width) * std::size_t(picture.height) * 3);
  static_cast<void>(picture);
}

void write_file(const std::string& path, const unsigned char* bytes, std::size_t count) {
  write_atomically(path, {reinterpret_cast<const char*>(bytes), count});
}

}  // namespace

Picture decode_picture(std::string_view bytes, const std::string& source) {
  if (looks_like_jpeg(bytes)) return decode_jpeg(bytes, source);
  if (looks_like_png(bytes)) return decode_png(bytes, source);
  throw_bad(source, fmt::format("a JPEG or PNG picture is expected, but the file is {}",
                                describe_bytes(bytes)));
}

Picture read_picture(const std::string& path) {
  return decode_picture(read_bytes(path, "the picture"), path);
}

void write_jpeg(const Picture& picture, const std::string& path, int quality) {
  check_whole(picture);
  const JpegHandle jpeg = checked(tjInitCompress());
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  const int status = tjCompress2(jpeg.get(), picture.rgb.data(), picture.width, 0, picture.height,
                                 TJPF_RGB, &bytes, &count, TJSAMP_444, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(bytes, &tjFree);
  if (status != 0) {
    throw FileError(
        fmt::format("cannot write \"{}\" as a JPEG: {}.", path, tjGetErrorStr2(jpeg.get())));
  }
  write_file(path, bytes, count);
}

void write_png(const Picture& picture, const std::string& path) {
  check_whole(picture);
  PngImage png;
  png.width = static_cast<png_uint_32>(picture.width);
  png.height = static_cast<png_uint_32>(picture.height);
  png.format = PNG_FORMAT_RGB;
  std::vector<unsigned char> bytes(PNG_IMAGE_PNG_SIZE_MAX(png));
  png_alloc_size_t count = bytes.size();
  if (!png_image_write_to_memory(&png, bytes.data(), &count, 0, picture.rgb.data(), 0, nullptr)) {
    throw FileError(fmt::format("cannot write \"{}\" as a PNG: {}.", path, png.message));
  }
  write_file(path, bytes.data(), count);
}

}  // namespace knockout
