// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "knockout/data/csv_number.h"
#include "knockout/schema/reading/number_flags.h"
#include "knockout/schema/reading/number_tails.h"
#include "knockout/schema/reading/plain_marks.h"

namespace knockout {
namespace {

constexpr std::size_t kLongestNumber = 64;  ///< In bytes; longer cells are text.
constexpr std::size_t kLongestUnit = 16;
constexpr std::size_t kDigitsOfACode = 16;  ///< Fewer fit a double exactly.

/// Longer ones before those that they begin with.
constexpr std::array<std::string_view, 27> kCurrencies = {
    "US$", "R$",  "A$",  "C$",  "$",   "€",   "£",   "¥",   "₹",
    "₽", "₩",   "CHF", "EUR", "USD", "GBP", "JPY", "CAD", "AUD",
    "SEK", "NOK", "DKK", "PLN", "INR", "CNY", "Rs.", "Rs",  "Fr."};

bool is_figure(char c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_unit_letter(char c) {
  return is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80;  // µ, °, ², Ω
}

/// A sign at the front, if there is one and none was found before.
void take_sign(std::string_view& text, bool& signed_already, bool& negative) {
  if (signed_already || text.empty() || (text[0] != '-' && text[0] != '+')) return;
  signed_already = true;
  negative = text[0] == '-';
  text.remove_prefix(1);
  drop_blanks(text);
}

void take_currency(std::string_view& text, std::string& prefix) {
  for (const std::string_view currency : kCurrencies) {
    if (!text.starts_with(currency)) continue;
    const std::string_view rest = text.substr(currency.size());
    // "USD5" is money, "USDA5" is not.
    if (is_ascii_letter(currency.back()) && !rest.empty() && is_ascii_letter(rest[0])) continue;
    prefix = currency;
    text = rest;
    drop_blanks(text);
    return;
  }
}

bool take_parentheses(std::string_view& text) {
  if (text.size() < 3 || text.front() != '(' || text.back() != ')') return false;
  text = text.substr(1, text.size() - 2);
  drop_blanks(text);
  return true;
}

/// How many bytes at the front are digits and marks between digits.
std::size_t body_length(std::string_view text) {
  const auto figure_at = [&](std::size_t i) { return i < text.size() && is_figure(text[i]); };
  std::size_t i = 0;
  while (i < text.size()) {
    const char c = text[i];
    const bool mark = c == ',' || c == '.' || c == '\'';
    // A blank only separates groups of three: "12 mg" and "5 10^9/L" have other blanks.
    const bool blank = c == ' ' && figure_at(i + 1) && figure_at(i + 2) && figure_at(i + 3) &&
                       !figure_at(i + 4) && i > 0;
    if (is_figure(c) || (mark && figure_at(i + 1)) || blank) {
      ++i;
    } else {
      break;
    }
  }
  const bool point_at_end = i > 0 && i + 1 == text.size() && (text[i] == '.' || text[i] == ',');
  return point_at_end ? i + 1 : i;
}

/// The end of "46.-" and "46,--", which say that there are no cents.
bool is_no_cents(std::string_view text) {
  return text == ".-" || text == ",-" || text == ".--" || text == ",--";
}

bool is_unit(std::string_view text) {
  if (text.size() > kLongestUnit) return false;
  const bool power = text.starts_with("10^") || text.starts_with("10*");           // 4.5 10^9/L
  const bool rate = text.size() > 1 && text[0] == '/' && is_unit_letter(text[1]);  // 5 /min
  if (!is_unit_letter(text[0]) && text[0] != '%' && !power && !rate) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    const bool inside = std::string_view("/^*.-%").find(c) != std::string_view::npos;
    // "mm Hg" is a unit, and so is "out of 5 stars"; "of 5" may be the part of a list.
    const bool of = text.substr(0, i).ends_with("out of");
    const bool blank = c == ' ' && (is_unit_letter(next) || next == '/' || (of && is_figure(next)));
    if (!is_unit_letter(c) && !is_figure(c) && !inside && !blank) return false;
  }
  return true;
}

/// Digits in groups of three, or without a mark. Between commas, groups before the last may be of
/// two, as in India: 2,89,000.
bool is_whole_part(std::string_view text, char mark) {
  const std::size_t first_mark = mark == '\0' ? std::string_view::npos : text.find(mark);
  if (first_mark == std::string_view::npos) return std::all_of(text.begin(), text.end(), is_figure);
  // 0,123 is no thousand.
  if (first_mark < 1 || first_mark > 3 || text[0] == '0') return false;
  const auto has_groups_of = [&](std::string_view groups, std::size_t digits) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const bool expects_mark = i % (digits + 1) == 0;
      if (expects_mark ? groups[i] != mark : !is_figure(groups[i])) return false;
    }
    return groups.size() % (digits + 1) == 0;
  };
  if (!std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(first_mark),
                   is_figure)) {
    return false;
  }
  const std::string_view groups = text.substr(first_mark);
  if (has_groups_of(groups, 3)) return true;
  return mark == ',' && first_mark <= 2 && groups.size() > 4 &&
         has_groups_of(groups.substr(0, groups.size() - 4), 2) &&
         has_groups_of(groups.substr(groups.size() - 4), 3);
}

}  // namespace

std::optional<NumberShape> take_apart(std::string_view cell) {
  if (cell.empty() || cell.size() > kLongestNumber) return std::nullopt;
  // Without a copy: this is the inner loop of a column in clothes.
  const bool is_plain = has_plain_marks(cell);
  const std::string plain = is_plain ? std::string() : plain_marks(cell);
  std::string_view text = is_plain ? cell : plain;
  drop_blanks(text);
  NumberShape shape;
  bool signed_already = false;
  shape.flag = take_leading_flag(text);
  take_sign(text, signed_already, shape.negative);
  if (!signed_already) shape.parentheses = take_parentheses(text);
  take_currency(text, shape.prefix);
  take_sign(text, signed_already, shape.negative);
  if (!signed_already && !shape.parentheses) shape.parentheses = take_parentheses(text);
  if (shape.parentheses) {
    if (signed_already) return std::nullopt;
    shape.negative = signed_already = true;
  }

  const std::size_t length = body_length(text);
  if (length == 0) return std::nullopt;
  shape.body = text.substr(0, length);
  text.remove_prefix(length);
  shape.exponent = take_exponent(text);
  drop_deviation(text);
  if (is_no_cents(text)) text = {};
  shape.spaced = text.starts_with(' ');
  drop_blanks(text);
  if (text == "-" && !signed_already) {  // as SAP and COBOL write negative numbers
    shape.negative = true;
    text = {};
  }
  if (text.empty()) return shape;
  if (shape.flag.empty()) shape.flag = take_trailing_flag(text);
  if (text.empty()) return shape;
  if (!is_unit(text) && !is_letter_flag(text)) return std::nullopt;
  shape.suffix = text;
  return shape;
}

bool fits_marks(std::string_view body, char decimal_mark, char thousands_mark) {
  const std::size_t decimal = std::min(body.find(decimal_mark), body.size());
  if (!is_whole_part(body.substr(0, decimal), thousands_mark)) return false;
  const std::string_view fraction = body.substr(std::min(decimal + 1, body.size()));
  return std::all_of(fraction.begin(), fraction.end(), is_figure);
}

std::optional<double> read_body(const NumberShape& shape, char decimal_mark, char thousands_mark,
                                int power) {
  if (!fits_marks(shape.body, decimal_mark, thousands_mark)) return std::nullopt;
  std::string plain;
  bool grouped = false;
  for (const char c : shape.body) {
    if (c == decimal_mark) {
      plain += '.';
    } else if (is_figure(c)) {
      plain += c;
    } else {
      grouped = true;
    }
  }
  if (grouped && !shape.exponent.empty()) return std::nullopt;
  // The reader of files takes 03 as a name; here it was said to be a number.
  while (plain.size() > 1 && plain[0] == '0' && is_figure(plain[1])) plain.erase(0, 1);
  if (power != 0 && !shape.exponent.empty()) return std::nullopt;
  const std::string exponent = power == 0 ? shape.exponent : "e" + std::to_string(power);
  const ParsedNumber number = parse_number(plain + exponent, '.');
  if (number.kind != NumberKind::kNumber) return std::nullopt;
  return shape.negative ? -number.value : number.value;
}

bool is_code(const NumberShape& shape) {
  const std::string_view body = shape.body;
  if (!shape.prefix.empty() || !shape.suffix.empty() || !shape.exponent.empty()) return false;
  if (body.size() > 1 && body[0] == '0' && is_figure(body[1])) return true;
  return body.size() >= kDigitsOfACode && std::all_of(body.begin(), body.end(), is_figure);
}

std::string_view currency_key(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSame = {
      {{"€", "EUR"}, {"$", "USD"}, {"US$", "USD"}, {"£", "GBP"}, {"¥", "JPY"}, {"₹", "INR"}}};
  for (const auto& [sign, key] : kSame) {
    if (text == sign) return key;
  }
  const auto* const known = std::find(kCurrencies.begin(), kCurrencies.end(), text);
  return known == kCurrencies.end() ? std::string_view() : *known;
}

std::string unit_key(std::string_view suffix) {
  if (suffix.size() < 2) return std::string(suffix);  // m and M differ
  std::string key(suffix);
  for (char& c : key) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (key.size() > 2 && key.back() == '.') key.pop_back();
  if (key.size() > 2 && key.back() == 's') key.pop_back();
  return key;
}

}  // namespace knockout
