// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_tails.h"

namespace knockout {
namespace {

bool is_tail_figure(char c) { return c >= '0' && c <= '9'; }

void drop_front_blanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

/// "x10^", "× 10^" and the like, which people write for "e"; "" where there is none.
std::string_view power_of_ten(std::string_view text) {
  std::string_view rest = text;
  drop_front_blanks(rest);
  bool times = false;
  for (const std::string_view sign : {"x", "X", "*", "×", "·"}) {
    if (times || !rest.starts_with(sign)) continue;
    rest.remove_prefix(sign.size());
    times = true;
  }
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  if (!times || !rest.starts_with("10^")) return {};
  return text.substr(0, static_cast<std::size_t>(rest.data() - text.data()) + 3);
}

}  // namespace

std::string take_exponent(std::string_view& text) {
  const bool letter = text.starts_with('e') || text.starts_with('E');
  std::size_t i = letter ? 1 : power_of_ten(text).size();
  if (i == 0) return "";
  const std::size_t sign = i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  const std::size_t first = i;
  while (i < text.size() && is_tail_figure(text[i])) ++i;
  const bool ends = i == text.size() || text[i] == ' ';
  if (i == first || !ends) return "";
  std::string exponent = "e" + std::string(text.substr(sign, i - sign));
  text.remove_prefix(i);
  return exponent;
}

void drop_deviation(std::string_view& text) {
  std::string_view rest = text;
  drop_front_blanks(rest);
  for (const std::string_view sign : {"±", "+/-", "+-"}) {
    if (!rest.starts_with(sign)) continue;
    rest.remove_prefix(sign.size());
    drop_front_blanks(rest);
    std::size_t length = 0;
    while (length < rest.size() &&
           (is_tail_figure(rest[length]) || rest[length] == '.' || rest[length] == ','))
      ++length;
    if (length == 0) return;
    text = rest.substr(length);
    return;
  }
}

}  // namespace knockout
