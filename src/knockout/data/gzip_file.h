// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <functional>
#include <string>
#include <string_view>

namespace knockout {

/// Whether the bytes begin a gzip file.
bool is_gzip(std::string_view bytes);

/// Decompresses a gzip file piece by piece, also when several were concatenated. A file that is
/// damaged or ends too early is a DataError that names `source`.
class GzipReader {
 public:
  explicit GzipReader(std::string source);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// Takes the next compressed bytes and hands what they hold to `sink`, in pieces.
  void feed(std::string_view compressed, const std::function<void(std::string_view)>& sink);
  /// Says that no more bytes follow.
  void finish() const;

 private:
  std::string source_;
  z_stream stream_{};
  bool between_members_ = false;  ///< A member has ended and the next has not begun.
  bool in_padding_ = false;       ///< Only zeros may follow, as tapes and some tools add them.
};

}  // namespace knockout
