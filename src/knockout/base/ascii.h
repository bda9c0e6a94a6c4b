// SPDX-License-Identifier: Apache-2.0
// Letters of ASCII, whatever the locale of the program is: std::tolower leaves the I of a Turkish
// one alone, and changes bytes of UTF-8 in others.
#pragma once

#include <algorithm>
#include <string>

namespace knockout {

constexpr char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char ascii_upper(char c) {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

/// The text in small letters; other characters stay as they are.
inline std::string ascii_lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return ascii_lower(c); });
  return text;
}

}  // namespace knockout
