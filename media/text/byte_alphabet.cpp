// SPDX-License-Identifier: Apache-2.0
#include "media/text/byte_alphabet.h"

#include <unicode/utf8.h>

#include <array>
#include <cstdint>

namespace knockout {
namespace {

constexpr int kBytes = 256;
constexpr int kPrintable = 188;
constexpr int kCharacters = kBytes + (kBytes - kPrintable);  // numbers 0..323, not all in use

constexpr bool is_printable(int byte) {
  return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

constexpr std::array<std::uint16_t, kBytes> character_numbers() {
  std::array<std::uint16_t, kBytes> numbers{};
  int next = kBytes;
  for (int byte = 0; byte < kBytes; ++byte) {
    numbers[std::size_t(byte)] = static_cast<std::uint16_t>(is_printable(byte) ? byte : next++);
  }
  return numbers;
}

constexpr std::array<std::uint16_t, kBytes> kCharacterOfByte = character_numbers();

constexpr std::array<std::int16_t, kCharacters> byte_numbers() {
  std::array<std::int16_t, kCharacters> bytes{};
  bytes.fill(-1);
  for (int byte = 0; byte < kBytes; ++byte) {
    bytes[kCharacterOfByte[std::size_t(byte)]] = static_cast<std::int16_t>(byte);
  }
  return bytes;
}

constexpr std::array<std::int16_t, kCharacters> kByteOfCharacter = byte_numbers();

}  // namespace

std::string bytes_to_characters(std::string_view bytes) {
  std::string characters;
  for (const char byte : bytes) {
    const unsigned number = kCharacterOfByte[static_cast<unsigned char>(byte)];
    if (number < 0x80) {
      characters += static_cast<char>(number);
    } else {  // two bytes of UTF-8 reach to 0x7ff
      characters += static_cast<char>(0xc0 | (number >> 6));
      characters += static_cast<char>(0x80 | (number & 0x3f));
    }
  }
  return characters;
}

std::optional<std::string> characters_to_bytes(std::string_view characters) {
  std::string bytes;
  for (std::size_t at = 0; at < characters.size();) {
    UChar32 number = 0;
    U8_NEXT(characters.data(), at, characters.size(), number);
    const bool known = number >= 0 && number < kCharacters &&
                       kByteOfCharacter[static_cast<std::size_t>(number)] >= 0;
    if (!known) return std::nullopt;
    bytes += static_cast<char>(kByteOfCharacter[static_cast<std::size_t>(number)]);
  }
  return bytes;
}

}  // namespace knockout
