// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/crc32c.h"

#include <array>

namespace knockout {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  constexpr std::uint32_t kReversedPolynomial = 0x82f63b78;
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) {
      rest = (rest & 1) != 0 ? rest >> 1 ^ kReversedPolynomial : rest >> 1;
    }
    table[byte] = rest;
  }
  return table;
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> kTable = make_table();
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc = crc >> 8 ^ kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xff];
  }
  return ~crc;
}

}  // namespace knockout
