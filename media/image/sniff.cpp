// SPDX-License-Identifier: Apache-2.0
#include "media/image/sniff.h"

#include <fmt/format.h>

#include <algorithm>

#include "knockout/base/ascii.h"

namespace knockout {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::size_t at;
  std::string_view bytes;
  std::string_view name;
};

constexpr Signature kSignatures[] = {
    {0, "GIF8"sv, "a GIF"},
    {8, "WEBP"sv, "a WebP picture"},
    {4, "ftypavif"sv, "an AVIF picture"},
    {4, "ftypheic"sv, "a HEIC picture"},
    {0, "BM"sv, "a BMP picture"},
    {0, "II*\0"sv, "a TIFF picture"},
    {0, "MM\0*"sv, "a TIFF picture"},
    {0, "\0\0\0\x0cjP  "sv, "a JPEG 2000 picture"},
    {0, "%PDF"sv, "a PDF document"},
    {0, "\x1f\x8b"sv, "gzip data"},
    {0, "PK\x03\x04"sv, "a ZIP archive"},
    {0, "version https://git-lfs"sv, "a Git LFS pointer, not the file itself"},
};

constexpr Signature kMarkup[] = {
    {0, "<!doctype html"sv, "an HTML page"}, {0, "<html"sv, "an HTML page"},
    {0, "<head"sv, "an HTML page"},          {0, "<body"sv, "an HTML page"},
    {0, "<script"sv, "an HTML page"},        {0, "<svg"sv, "an SVG drawing"},
    {0, "<?xml"sv, "an XML document"},       {0, "<!--"sv, "an HTML or XML page"},
};

/// The beginning of a text in lower case, without a byte order mark and leading white space.
std::string beginning_of_text(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf"sv)) bytes.remove_prefix(3);
  const std::size_t start = std::min(bytes.find_first_not_of(" \t\r\n"sv), bytes.size());
  return ascii_lower(std::string(bytes.substr(start, 32)));
}

}  // namespace

bool looks_like_jpeg(std::string_view bytes) { return bytes.starts_with("\xff\xd8\xff"sv); }

bool looks_like_png(std::string_view bytes) { return bytes.starts_with("\x89PNG\r\n\x1a\n"sv); }

std::string describe_bytes(std::string_view bytes) {
  if (bytes.empty()) return "empty";
  for (const Signature& each : kSignatures) {
    if (bytes.size() >= each.at && bytes.substr(each.at).starts_with(each.bytes)) {
      return std::string(each.name);
    }
  }
  const std::string text = beginning_of_text(bytes);
  for (const Signature& each : kMarkup) {
    if (text.starts_with(each.bytes)) return std::string(each.name);
  }
  if (bytes.find_first_not_of('\0') == std::string_view::npos) return "nothing but zero bytes";
  std::string hexadecimal;
  for (const char c : bytes.substr(0, 8)) {
    hexadecimal += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  }
  return "of an unknown kind, beginning with the bytes" + hexadecimal;
}

}  // namespace knockout
