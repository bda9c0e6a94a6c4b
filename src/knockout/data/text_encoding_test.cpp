// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/text_encoding.h"

#include <gtest/gtest.h>

#include <string>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

/// Code units as bytes.
std::string utf16(std::u16string_view text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF);
    const char high = static_cast<char>(unit >> 8);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

const std::u16string kTable = u"name,x\nJos\u00E9,1\n\u5317\u4EAC,2\n\U0001F600,3\n";
const std::string kTableInUtf8 =
    "name,x\nJos\xC3\xA9,1\n\xE5\x8C\x97\xE4\xBA\xAC,2\n\xF0\x9F\x98\x80,3\n";

TEST(TextEncoding, ConvertsUtf16WithAByteOrderMark) {
  for (const bool big_endian : {false, true}) {
    const auto converted = convert_to_utf8(utf16(u"\uFEFF" + kTable, big_endian));
    ASSERT_TRUE(converted);
    EXPECT_EQ(converted->text, kTableInUtf8);
    EXPECT_EQ(converted->encoding, "UTF-16");
  }
}

TEST(TextEncoding, RecognisesUtf16ByItsNuls) {
  for (const bool big_endian : {false, true}) {
    const auto converted = convert_to_utf8(utf16(kTable, big_endian));
    ASSERT_TRUE(converted);
    EXPECT_EQ(converted->text, kTableInUtf8);
  }
}

TEST(TextEncoding, RefusesHalfAPairOfUtf16AndNulsAnywhere) {
  EXPECT_FALSE(convert_to_utf8(utf16(u"\uFEFF" + std::u16string(1, 0xD83D) + u"a,b\n", false)));
  EXPECT_FALSE(convert_to_utf8(std::string("a,b\n1,\0\n", 8)));
  EXPECT_FALSE(convert_to_utf8(std::string("\xFF\xFE\0\0a\0\0\0", 8)));  // UTF-32
}

TEST(TextEncoding, ConvertsWindows1252) {
  const auto converted = convert_to_utf8("caf\xE9;5 \x80;\x96\xFF\n");
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->text, "caf\xC3\xA9;5 \xE2\x82\xAC;\xE2\x80\x93\xC3\xBF\n");
  EXPECT_EQ(converted->encoding, "Windows-1252");
  EXPECT_EQ(converted->stray_bytes, 0U);
}

TEST(TextEncoding, KeepsTheCharactersOfUtf8AroundAStrayByte) {
  const auto converted = convert_to_utf8("\xC3\xA9,\xC3\xBC\n\xE9,a\n");
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->text, "\xC3\xA9,\xC3\xBC\n\xC3\xA9,a\n");
  EXPECT_EQ(converted->stray_bytes, 1U);
}

TEST(TextEncoding, TakesAPairThatHappensToBeUtf8ForTwoCharacters) {
  // "É™" in Windows-1252 is also one character of UTF-8; the other three bytes are none.
  const auto converted = convert_to_utf8("\xC9\x99,\xE9,\xE8,\xE0\n");
  ASSERT_TRUE(converted);
  EXPECT_EQ(converted->text, "\xC3\x89\xE2\x84\xA2,\xC3\xA9,\xC3\xA8,\xC3\xA0\n");
}

TEST(TextEncoding, RefusesBytesThatAreNoText) {
  EXPECT_FALSE(convert_to_utf8("\x01\x02\xFF\xFE\x03"));
}

TEST(TextEncoding, GivesTheSameTableInEveryEncoding) {
  const Table expected = read_csv_text(
      "stra\xC3\x9F"
      "e,x\n\xE2\x82\xAC,1\n\xC3\xA4,2\n",
      "t.csv");
  EXPECT_TRUE(expected.notes().empty());
  const std::u16string wide = u"stra\u00DFe,x\n\u20AC,1\n\u00E4,2\n";
  for (const std::string& bytes :
       {utf16(u"\uFEFF" + wide, false), utf16(u"\uFEFF" + wide, true), utf16(wide, false),
        utf16(u"\uFEFF" + wide.substr(0, wide.size() - 1), false),
        std::string("stra\xDF"
                    "e,x\n\x80,1\n\xE4,2\n")}) {
    const Table table = read_csv_text(bytes, "t.csv");
    ASSERT_EQ(table.names(), expected.names());
    EXPECT_EQ(listed(table.column(0).words()), listed(expected.column(0).words()));
    EXPECT_EQ(listed(table.column(1).numbers()), listed(expected.column(1).numbers()));
    ASSERT_EQ(table.notes().size(), 1U);
    EXPECT_EQ(table.notes()[0].code, "encoding");
    EXPECT_EQ(table.notes()[0].column, "");
  }
}

TEST(TextEncoding, NamesTheEncodingInANote) {
  const auto said = [](const std::string& bytes) {
    return read_csv_text(bytes, "t.csv").notes().at(0).text;
  };
  EXPECT_NE(said("a,b\n1,x\n2,caf\xE9\n").find("Windows-1252"), std::string::npos);
  EXPECT_NE(said("a,b\n1,x\n2,caf\xE9\n").find("line 3"), std::string::npos);
  EXPECT_NE(said("a,b\n1,\x93\x8C\x8B\x9E\n2,\x91\xE5\x8D\xE3\n").find("SHIFT_JIS"),
            std::string::npos);
  EXPECT_NE(said("a,b\n1,M\x81ller\n").find("encoding of the file is not known"),
            std::string::npos);
  EXPECT_NE(said(utf16(u"\uFEFFa,b\n1,2\n", true)).find("UTF-16"), std::string::npos);
}

}  // namespace
}  // namespace knockout
