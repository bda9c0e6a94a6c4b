// SPDX-License-Identifier: Apache-2.0
#include "media/text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <set>

namespace knockout {
namespace {

std::string byte(int number) { return std::string(1, static_cast<char>(number)); }

TEST(ByteAlphabet, WritesPrintableBytesAsThemselvesAndOthersFrom256On) {
  int other = 256;
  for (int b = 0; b < 256; ++b) {
    const bool printable = (b >= '!' && b <= '~') || (b >= 0xa1 && b <= 0xac) || b >= 0xae;
    const int number = printable ? b : other++;
    const std::string expected =
        number < 128 ? byte(number) : byte(0xc0 + number / 64) + byte(0x80 + number % 64);
    EXPECT_EQ(bytes_to_characters(byte(b)), expected) << b;
  }
  EXPECT_EQ(other, 324);
}

TEST(ByteAlphabet, WritesBlankAndLineBreakAsEverybodyKnowsThem) {
  EXPECT_EQ(bytes_to_characters(" a\n"), "ĠaĊ");
  EXPECT_EQ(bytes_to_characters("é"), "Ã©");
  EXPECT_EQ(bytes_to_characters(byte(0) + byte(0xad) + byte(0xff)), "ĀŃÿ");
}

TEST(ByteAlphabet, ReadsBackEveryByte) {
  std::string all;
  for (int b = 0; b < 256; ++b) all += byte(b);
  EXPECT_EQ(characters_to_bytes(bytes_to_characters(all)), all);
}

TEST(ByteAlphabet, HasNothingForOtherCharactersAndForInvalidText) {
  EXPECT_EQ(characters_to_bytes("a b"), std::nullopt);
  EXPECT_EQ(characters_to_bytes("▁the"), std::nullopt);
  EXPECT_EQ(characters_to_bytes("\xc2\xad"), std::nullopt);  // U+00AD is written as U+0143
  EXPECT_EQ(characters_to_bytes("a\xc4"), std::nullopt);
}

}  // namespace
}  // namespace knockout
