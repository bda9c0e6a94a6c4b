// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/script_encodings.h"

#include <iconv.h>

#include <array>
#include <cstddef>
#include <string>

namespace knockout {
namespace {

using Byte = unsigned char;

constexpr std::size_t kFewestCharacters = 8;  ///< Fewer say nothing: "Müller", "Zoë".

bool is_in(Byte byte, int low, int high) { return byte >= low && byte <= high; }
Byte byte_at(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<Byte>(bytes[i]) : 0;
}

/// Shift-JIS: pairs whose first byte is one of kana or of common kanji. In Western texts the byte
/// after an accented letter is a plain letter; here half of them are above 0x7F.
bool is_japanese(std::string_view bytes) {
  std::size_t pairs = 0, common = 0, high = 0, single = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Byte first = byte_at(bytes, i), second = byte_at(bytes, i + 1);
    if (first < 0x80) continue;
    if (is_in(first, 0xA1, 0xDF)) {
      ++single;
      continue;
    }
    const bool is_pair = (is_in(first, 0x81, 0x9F) || is_in(first, 0xE0, 0xFC)) &&
                         is_in(second, 0x40, 0xFC) && second != 0x7F;
    if (!is_pair) return false;
    ++pairs;
    common += is_in(first, 0x81, 0x83) || is_in(first, 0x88, 0x97);
    high += second >= 0x80 || first == 0x83;
    ++i;
  }
  const std::size_t all = pairs + single;
  return pairs >= kFewestCharacters && 10 * common >= 7 * all && 10 * high >= 4 * pairs;
}

/// Pairs of bytes above 0xA0, as Chinese and Korean have them.
struct HighPairs {
  std::size_t pairs = 0, frequent = 0, hangul = 0;
  bool all_paired = true;
};

HighPairs count_pairs(std::string_view bytes) {
  HighPairs found;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const Byte first = byte_at(bytes, i), second = byte_at(bytes, i + 1);
    if (first < 0x80) continue;
    if (!is_in(first, 0xA1, 0xF7) || !is_in(second, 0xA1, 0xFE)) {
      found.all_paired = false;
      return found;
    }
    ++found.pairs;
    found.frequent += is_in(first, 0xB0, 0xD7);  // the 3,755 most frequent characters of GB 2312
    found.hangul += is_in(first, 0xB0, 0xC8) || is_in(first, 0xA1, 0xA3);
    ++i;
  }
  return found;
}

/// Windows-1251: whole words above 0xBF, most letters small, but not all, as in Hebrew. Greek has
/// accented small letters where Cyrillic has the capitals.
bool is_cyrillic(std::string_view bytes) {
  std::size_t letters = 0, small = 0, runs = 0, others = 0, accents = 0;
  Byte before = 0;
  bool inside = false;
  for (const char c : bytes) {
    const auto byte = static_cast<Byte>(c);
    const bool letter = byte >= 0xC0 || byte == 0xA8 || byte == 0xB8;
    letters += letter;
    small += byte >= 0xE0 || byte == 0xB8;
    others += byte >= 0x80 && !letter;
    runs += letter && !inside;
    accents += is_in(byte, 0xDC, 0xDF) && before >= 0xE0;
    inside = letter;
    before = byte;
  }
  if (small == letters || 30 * accents > letters) return false;
  return letters >= kFewestCharacters && letters >= 3 * runs && 2 * small >= letters &&
         20 * others <= letters;
}

std::optional<std::string> from_encoding(std::string_view bytes, const char* encoding) {
  const iconv_t converter = iconv_open("UTF-8", encoding);
  if (converter == reinterpret_cast<iconv_t>(-1)) return std::nullopt;  // NOLINT
  std::string text;
  std::array<char, 4096> piece;
  std::string copy(bytes);  // iconv takes a pointer that is not const
  char* in = copy.data();
  std::size_t left = copy.size();
  bool sound = true;
  while (left > 0 && sound) {
    char* out = piece.data();
    std::size_t room = piece.size();
    const std::size_t before = left;
    iconv(converter, &in, &left, &out, &room);
    text.append(piece.data(), piece.size() - room);
    sound = left == 0 || left < before;  // a byte that is no character stops it
  }
  iconv_close(converter);
  if (!sound) return std::nullopt;
  return text;
}

/// The likely encoding as iconv names it, and as people do.
struct ScriptEncoding {
  const char* name = nullptr;
  const char* shown = nullptr;
};

ScriptEncoding find_encoding(std::string_view bytes) {
  if (is_japanese(bytes)) return {"CP932", "Shift-JIS"};
  // Of an even number of Cyrillic letters, pairs could be made as well.
  if (is_cyrillic(bytes)) return {"CP1251", "Windows-1251"};
  const HighPairs found = count_pairs(bytes);
  if (!found.all_paired || found.pairs < kFewestCharacters) return {};
  if (found.hangul == found.pairs) return {"CP949", "EUC-KR"};
  return 10 * found.frequent >= 6 * found.pairs ? ScriptEncoding{"GB18030", "GBK"}
                                                : ScriptEncoding{};
}

}  // namespace

std::optional<ConvertedText> convert_from_other_script(std::string_view bytes) {
  const ScriptEncoding encoding = find_encoding(bytes);
  if (encoding.name == nullptr) return std::nullopt;
  std::optional<std::string> text = from_encoding(bytes, encoding.name);
  if (!text) return std::nullopt;
  return ConvertedText{*std::move(text), encoding.shown};
}

}  // namespace knockout
