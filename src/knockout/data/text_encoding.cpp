// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "knockout/data/script_encodings.h"

namespace knockout {
namespace {

/// The characters of Windows-1252 from 0x80 to 0x9F. The five bytes that it leaves open stand for
/// themselves, as web browsers read them.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008D, 0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};

void append_utf8(std::string& out, std::uint32_t character) {
  const auto tail = [&](int shift) {
    out += static_cast<char>(0x80 | ((character >> shift) & 0x3F));
  };
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xC0 | (character >> 6));
    tail(0);
  } else if (character < 0x10000) {
    out += static_cast<char>(0xE0 | (character >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (character >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

void append_windows_1252(std::string& out, unsigned char byte) {
  const bool is_special = byte >= 0x80 && byte < 0xA0;
  append_utf8(out, is_special ? kWindows1252[byte - 0x80] : byte);
}

/// Nothing when the bytes are no UTF-16 text: a half of a pair alone, a NUL, an odd number.
std::optional<std::string> from_utf16(std::string_view bytes, bool big_endian) {
  // A last '\n' of one byte is what readers add to a text that does not end with a line end.
  if (bytes.size() % 2 == 1 && bytes.back() == '\n') bytes.remove_suffix(1);
  if (bytes.size() % 2 == 1) return std::nullopt;
  const auto unit_at = [&](std::size_t i) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const auto second = static_cast<unsigned char>(bytes[i + 1]);
    return static_cast<std::uint32_t>(big_endian ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  text.reserve(bytes.size() / 2 + bytes.size() / 8);
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    std::uint32_t unit = unit_at(i);
    if (unit >= 0xD800 && unit < 0xE000) {
      const bool is_pair = unit < 0xDC00 && i + 2 < bytes.size();
      const std::uint32_t second = is_pair ? unit_at(i + 2) : 0;
      if (second < 0xDC00 || second >= 0xE000) return std::nullopt;
      unit = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
      i += 2;
    }
    if (unit == 0) return std::nullopt;
    append_utf8(text, unit);
  }
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

/// The byte order of a text without a mark: its line ends, digits and delimiters have their NULs
/// all on one side. Nothing when it does not look so.
std::optional<bool> is_big_endian(std::string_view bytes) {
  constexpr std::size_t kLookedAt = std::size_t{1} << 16;
  const std::size_t count = std::min(bytes.size(), kLookedAt) / 2 * 2;
  std::array<std::size_t, 2> nuls = {0, 0};
  for (std::size_t i = 0; i < count; ++i) nuls[i % 2] += bytes[i] == 0;
  // In a table, a third of the characters are digits, letters and delimiters at least; and few have
  // a NUL on the other side.
  const auto is_side = [&](std::size_t side) {
    return 6 * nuls[side] > count && 8 * nuls[1 - side] < nuls[side];
  };
  const bool first = is_side(0);
  const bool second = is_side(1);
  if (first == second) return std::nullopt;
  return first;
}

std::optional<std::string> as_utf16(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(bytes.substr(2), false);
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(bytes.substr(2), true);
  if (const std::optional<bool> big_endian = is_big_endian(bytes)) {
    return from_utf16(bytes, *big_endian);
  }
  return std::nullopt;
}

/// The bytes that Windows-1252 has no character for.
bool is_left_open(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0x81 || byte == 0x8D || byte == 0x8F || byte == 0x90 || byte == 0x9D;
}

/// Whether all bytes above 0x7F could be Japanese characters: half-width ones, or pairs.
bool is_shift_jis(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (byte < 0x80 || (byte >= 0xA1 && byte <= 0xDF)) continue;
    const auto next = static_cast<unsigned char>(i + 1 < bytes.size() ? bytes[i + 1] : '\0');
    if (byte == 0x80 || byte == 0xA0 || byte > 0xFC || next < 0x40 || next == 0x7F || next > 0xFC) {
      return false;
    }
    ++i;
  }
  return true;
}

/// Control characters that no table has, though files in other formats do.
bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  constexpr unsigned char kEndOfFile = 0x1A;  // of old systems, as the last byte
  return byte < 0x20 && (byte < '\t' || byte > '\r') && byte != kEndOfFile && byte != 0x1B;
}

}  // namespace

std::size_t utf8_length(const char* p, const char* end) {
  const auto byte = [&](std::size_t i) {
    return p + i < end ? static_cast<unsigned char>(p[i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead == 0) return 0;
  if (lead < 0x80) return 1;
  const unsigned second = byte(1);
  const auto is_tail = [](unsigned b) { return (b & 0xC0) == 0x80; };
  if (lead >= 0xC2 && lead <= 0xDF) return is_tail(second) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && second < 0xA0;
    const bool surrogate = lead == 0xED && second > 0x9F;
    return is_tail(second) && is_tail(byte(2)) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && second < 0x90;
    const bool beyond = lead == 0xF4 && second > 0x8F;
    return is_tail(second) && is_tail(byte(2)) && is_tail(byte(3)) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

std::optional<ConvertedText> convert_to_utf8(std::string_view bytes) {
  if (std::optional<std::string> text = as_utf16(bytes)) {
    return ConvertedText{*std::move(text), "UTF-16"};
  }
  if (std::any_of(bytes.begin(), bytes.end(), is_binary)) return std::nullopt;
  if (std::optional<ConvertedText> text = convert_from_other_script(bytes)) return text;
  // Whole UTF-8 characters are rarer than strokes of luck in Windows-1252; where they are more than
  // the bytes that are none, the file is UTF-8 that something else was pasted into.
  std::string mixed;
  mixed.reserve(bytes.size() + bytes.size() / 8);
  std::size_t characters = 0;
  std::size_t strays = 0;
  const char* const end = bytes.data() + bytes.size();
  for (const char* p = bytes.data(); p != end;) {
    const std::size_t length = utf8_length(p, end);
    if (length == 0) {
      append_windows_1252(mixed, static_cast<unsigned char>(*p++));
      ++strays;
    } else {
      characters += length > 1;
      mixed.append(p, length);
      p += length;
    }
  }
  if (characters > strays) return ConvertedText{std::move(mixed), "Windows-1252", strays};
  std::string text = std::move(mixed);
  if (characters > 0) {
    text.clear();
    for (const char c : bytes) append_windows_1252(text, static_cast<unsigned char>(c));
  }
  const auto* const open = std::find_if(bytes.begin(), bytes.end(), is_left_open);
  if (open == bytes.end()) return ConvertedText{std::move(text), "Windows-1252"};
  return ConvertedText{std::move(text), is_shift_jis(bytes) ? "SHIFT_JIS" : "CP850", 0,
                       static_cast<unsigned char>(*open)};
}

}  // namespace knockout
