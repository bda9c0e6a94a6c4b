// SPDX-License-Identifier: Apache-2.0
// What the readers and writers of volumes share below their formats: bytes in and out of zlib.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace knockout {

/// The bytes of a file in order, decompressed on the way. Holds one piece of the file in memory.
/// Throws FileError when the file cannot be opened or read, DataError when its compressed data are
/// damaged or cut off (their checksum is tested where they end).
class ByteStream {
 public:
  enum class Format { kPlain, kGzipIfMarked, kZlib };

  explicit ByteStream(const std::string& path, Format format = Format::kPlain,
                      std::uint64_t offset = 0);
  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Fills `out` and returns `size`, or less when the data end.
  std::size_t read(char* out, std::size_t size);
  /// Passes over `count` bytes; returns how many there were.
  std::uint64_t skip(std::uint64_t count);

  /// Goes to the end of compressed data, where their checksum is tested; plain data have none.
  void check_rest();

  bool is_compressed() const { return compressed_; }
  /// More bytes than this cannot follow, whatever a header claims: asked before memory is taken.
  /// Exact for plain data.
  std::uint64_t most_bytes_left() const;
  /// Bytes of the file that were not used; after the end of compressed data, those behind them.
  std::uint64_t file_bytes_left() const { return file_bytes_left_ + stream_.avail_in; }

 private:
  std::size_t read_file(char* out, std::size_t size);
  std::size_t inflate_some(char* out, std::size_t size);
  bool refill();

  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::uint64_t file_bytes_left_ = 0;
  bool compressed_ = false;
  bool ended_ = false;
  z_stream stream_{};
  std::vector<char> input_;
};

enum class Packing { kGzip, kZlib };

/// The same bytes for the same input on every machine: no time and no file name are stored.
std::string compress_bytes(std::string_view bytes, Packing packing);

}  // namespace knockout
