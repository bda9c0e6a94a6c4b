// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace knockout::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// Takes one character off the front; U+FFFD for bytes that are no UTF-8 (overlong forms and
/// surrogates among them), one byte at a time.
char32_t take_character(std::string_view& text) {
  const auto byte = [&](std::size_t i) -> char32_t { return static_cast<unsigned char>(text[i]); };
  const char32_t first = byte(0);
  std::size_t length = 1;
  char32_t character = first;
  char32_t smallest = 0;
  if (first >= 0xF0 && first < 0xF8) {
    length = 4, character = first & 0x07U, smallest = 0x10000;
  } else if (first >= 0xE0) {
    length = 3, character = first & 0x0FU, smallest = 0x800;
  } else if (first >= 0xC0) {
    length = 2, character = first & 0x1FU, smallest = 0x80;
  } else if (first >= 0x80) {
    character = kReplacement;
  }
  bool valid = length <= text.size() && first < 0xF8;
  for (std::size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0U) == 0x80;
    character = character << 6 | (byte(i) & 0x3FU);
  }
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  if (!valid || character < smallest || surrogate || character > 0x10FFFF) {
    text.remove_prefix(1);
    return kReplacement;
  }
  text.remove_prefix(length);
  return character;
}

void append_character(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c >= 0x10000) {
    out += static_cast<char>(0xF0U | c >> 18);
    out += static_cast<char>(0x80U | (c >> 12 & 0x3FU));
  } else if (c >= 0x800) {
    out += static_cast<char>(0xE0U | c >> 12);
  }
  if (c >= 0x800) {
    out += static_cast<char>(0x80U | (c >> 6 & 0x3FU));
  } else {
    out += static_cast<char>(0xC0U | c >> 6);
  }
  out += static_cast<char>(0x80U | (c & 0x3FU));
}

bool turns_direction(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

/// Controls, line and paragraph separators, and code points that are no characters.
bool is_unprintable(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 ||
         (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFEU) == 0xFFFE;
}

char32_t made_safe(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return ' ';
  return is_unprintable(c) || turns_direction(c) ? kReplacement : c;
}

std::size_t width_of(char32_t c) {
  const bool on_the_one_before = (c >= 0x0300 && c <= 0x036F) || (c >= 0x200B && c <= 0x200D) ||
                                 (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF;
  if (on_the_one_before) return 0;
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFF00 && c <= 0xFF60) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                    (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) append_character(out, made_safe(take_character(text)));
  return out;
}

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : clean(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) width += width_of(take_character(text));
  return width;
}

std::string shorten(std::string_view text, std::size_t columns) {
  std::string cleaned = clean(text);
  if (display_width(cleaned) <= columns) return cleaned;
  std::string out;
  std::size_t width = 0;
  for (std::string_view rest = cleaned; !rest.empty();) {
    const char32_t c = take_character(rest);
    width += width_of(c);
    if (width > columns - 1) break;
    append_character(out, c);
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "…";
}

std::string exact_number(double number) {
  if (std::isnan(number)) return "–";
  if (std::isinf(number)) return number > 0 ? "∞" : "−∞";
  return fmt::format("{}", number);
}

std::string short_number(double number) {
  if (!std::isfinite(number)) return exact_number(number);
  if (std::abs(number) >= 1000 && std::abs(number) < 1e7) {
    return fmt::format("{}{}", number < 0 ? "-" : "",
                       with_thousands(std::llround(std::abs(number))));
  }
  const bool whole = number == std::trunc(number);
  if (std::abs(number) < 1000 && (whole || std::abs(number) >= 99.95)) {
    return fmt::format("{:.0f}", number);
  }
  // The # keeps the zeros at the end: 0.500 says more than 0.5, and columns line up.
  return fmt::format("{:#.3g}", number);
}

std::vector<std::string> aligned_numbers(const std::vector<double>& numbers, int digits) {
  double largest = 0;
  for (const double number : numbers) {
    if (std::isfinite(number)) largest = std::max(largest, std::abs(number));
  }
  const int magnitude = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  std::vector<std::string> texts;
  for (const double number : numbers) {
    // Far from 1, decimals would be a row of zeros.
    const bool plain = std::isfinite(number) && magnitude >= -4 && magnitude < 7;
    const int decimals = std::max(0, digits - 1 - magnitude);
    texts.push_back(plain ? fmt::format("{:.{}f}", number, decimals) : short_number(number));
  }
  return texts;
}

}  // namespace knockout::report
