// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/gzip_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>
#include <vector>

#include "knockout/base/error.h"

namespace knockout {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's way to ask for the gzip format
constexpr std::size_t kGzipPiece = std::size_t{1} << 18;

[[noreturn]] void throw_damaged_gzip(const std::string& source, std::string_view what) {
  throw DataError(fmt::format(
      "{}: {}.\n  Copy or download the gzip file again; \"gzip -t\" checks it.", source, what));
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

GzipReader::GzipReader(std::string source) : source_(std::move(source)) {
  if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() { inflateEnd(&stream_); }

void GzipReader::feed(std::string_view compressed,
                      const std::function<void(std::string_view)>& sink) {
  // zlib counts in 32 bits; the caller's pieces may be larger.
  for (; compressed.size() > kGzipPiece; compressed.remove_prefix(kGzipPiece)) {
    feed(compressed.substr(0, kGzipPiece), sink);
  }
  std::vector<char> piece(kGzipPiece);
  // zlib's interface predates const; it does not write to its input.
  stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream_.avail_in = static_cast<uInt>(compressed.size());
  while (stream_.avail_in > 0) {
    if (between_members_ && *stream_.next_in == 0) in_padding_ = true;
    if (in_padding_) {
      const auto* const rest = reinterpret_cast<const char*>(stream_.next_in);
      if (std::any_of(rest, rest + stream_.avail_in, [](char c) { return c != 0; })) {
        throw_damaged_gzip(source_, "other bytes follow the gzip data");
      }
      return;
    }
    between_members_ = false;
    int status = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(piece.data());
      stream_.avail_out = static_cast<uInt>(piece.size());
      status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        throw_damaged_gzip(source_, "the gzip data are damaged");
      }
      sink({piece.data(), piece.size() - stream_.avail_out});
    } while (status != Z_STREAM_END && stream_.avail_out == 0);
    if (status == Z_STREAM_END) {
      between_members_ = true;
      inflateReset(&stream_);
    }
  }
}

void GzipReader::finish() const {
  if (!between_members_ && !in_padding_) {
    throw_damaged_gzip(source_, "the gzip data end too early: the file was cut off");
  }
}

}  // namespace knockout
