// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/plain_marks.h"

#include <algorithm>
#include <array>

namespace knockout {
namespace {

struct Spelling {
  std::string_view found, plain;
};
constexpr std::array<Spelling, 22> kSpellings = {{{"\xC2\xA0", " "},      // no-break space
                                                  {"\xE2\x80\xAF", " "},  // narrow no-break space
                                                  {"\xE2\x80\x89", " "},  // thin space
                                                  {"\xE3\x80\x80", " "},  // full-width space
                                                  {"\xE2\x88\x92", "-"},  // minus
                                                  {"\xE2\x80\x93", "-"},  // en dash
                                                  {"\xE2\x80\x94", "-"},  // em dash
                                                  {"\xE2\x80\x99", "'"},  // apostrophe of Swiss
                                                  {"\xCE\xBC", "\xC2\xB5"},  // Greek mu for micro
                                                  {"\xEF\xBC\x8D", "-"},     // full-width minus
                                                  {"\xEF\xBC\x8B", "+"},     // full-width marks
                                                  {"\xEF\xBC\x8C", ","},
                                                  {"\xEF\xBC\x8E", "."},
                                                  {"\xEF\xBC\x85", "%"},
                                                  {"\xEF\xBF\xA5", "\xC2\xA5"},  // full-width yen
                                                  {"&nbsp;", " "},               // of web pages
                                                  {"&#160;", " "},
                                                  {"&lt;", "<"},
                                                  {"&gt;", ">"},
                                                  {"&minus;", "-"},
                                                  {"&plusmn;", "\xC2\xB1"},
                                                  {"\t", " "}}};

/// The digit that three bytes are, as Japanese and Chinese programs write them, or '\0'.
char wide_figure(std::string_view text) {
  if (!text.starts_with("\xEF\xBC") || text.size() < 3) return '\0';
  const auto last = static_cast<unsigned char>(text[2]);
  return last >= 0x90 && last <= 0x99 ? static_cast<char>('0' + (last - 0x90)) : '\0';
}

}  // namespace

void drop_blanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
}

bool has_plain_marks(std::string_view cell) {
  return std::all_of(cell.begin(), cell.end(), [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && static_cast<unsigned char>(c) < 0x80 && c != '&';
  });
}

std::string plain_marks(std::string_view cell) {
  if (has_plain_marks(cell)) {
    drop_blanks(cell);
    return std::string(cell);
  }
  std::string text;
  text.reserve(cell.size());
  while (!cell.empty()) {
    if (const char figure = wide_figure(cell); figure != '\0') {
      text += figure;
      cell.remove_prefix(3);
      continue;
    }
    const auto* const spelling =
        cell[0] >= '0' && cell[0] <= '9'
            ? kSpellings.end()
            : std::find_if(kSpellings.begin(), kSpellings.end(),
                           [&](const auto& s) { return cell.starts_with(s.found); });
    if (spelling == kSpellings.end()) {
      text += cell[0];
      cell.remove_prefix(1);
    } else {
      text += spelling->plain;
      cell.remove_prefix(spelling->found.size());
    }
  }
  std::string_view inner = text;
  drop_blanks(inner);
  return std::string(inner);
}

}  // namespace knockout
