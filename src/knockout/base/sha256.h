// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace knockout {

/// SHA-256 (FIPS 180-4): says which data a result came from.
///   Sha256 hash;
///   hash.add(bytes);
///   std::string hex = hash.finish();
class Sha256 {
 public:
  void add(std::string_view bytes);
  /// 64 lower-case hexadecimal digits. Nothing may be added afterwards.
  std::string finish();

 private:
  void take_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_ = {};
  std::size_t filled_ = 0;  ///< Bytes waiting in block_.
  std::uint64_t length_ = 0;
};

/// The hash of a file's bytes, as `sha256sum` prints it. Throws FileError when it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace knockout
