// SPDX-License-Identifier: Apache-2.0
// For tests: safetensors files put together by hand.
#pragma once

#include <cstdint>
#include <string>

namespace knockout {

inline std::string length_prefix(std::uint64_t length) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(length >> (8 * i));
  return bytes;
}

inline std::string file_of(const std::string& header, const std::string& data) {
  return length_prefix(header.size()) + header + data;
}

}  // namespace knockout
