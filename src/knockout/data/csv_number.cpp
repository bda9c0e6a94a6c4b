// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_number.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

namespace knockout {
namespace {

using csv_internal::is_digit;

bool is_infinity_word(std::string_view cell) {
  if (!cell.empty() && (cell.front() == '-' || cell.front() == '+')) cell.remove_prefix(1);
  const auto is_word = [&](std::string_view word) {
    return std::equal(cell.begin(), cell.end(), word.begin(), word.end(),
                      [](char a, char b) { return (a | 0x20) == b; });
  };
  return is_word("inf") || is_word("infinity");
}

/// Whether a decimal that does not fit a double is too large, rather than too near zero. Decided by
/// the place of its first digit that is not zero.
bool is_too_large(std::string_view decimal) {
  const std::size_t exponent_at = std::min(decimal.find_first_of("eE"), decimal.size());
  const std::string_view mantissa = decimal.substr(0, exponent_at);
  double exponent = 0.0;
  if (exponent_at < decimal.size()) {
    for (const char c : decimal.substr(exponent_at + 1)) {
      if (is_digit(c)) exponent = 10.0 * exponent + (c - '0');
    }
    if (decimal[exponent_at + 1] == '-') exponent = -exponent;
  }
  const std::size_t mark = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = mantissa.find_first_of("123456789");
  return exponent + static_cast<double>(mark) - static_cast<double>(first) > 0.0;
}

/// The length of a thousands separator at the start of `text`, 0 when there is none.
std::size_t separator_length(std::string_view text) {
  if (text.empty()) return 0;
  if (std::string_view(",. '").find(text.front()) != std::string_view::npos) return 1;
  for (const std::string_view blank : {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"}) {
    if (text.starts_with(blank)) return blank.size();  // no-break, narrow no-break, thin space
  }
  return 0;
}

}  // namespace

namespace csv_internal {

double round_text(const DecimalText& text) {
  const char* begin = text.begin;
  const char* end = text.end;
  if (*begin == '+') ++begin;
  std::string with_point;
  if (text.decimal_mark != '.') {
    with_point.assign(begin, end);
    std::replace(with_point.begin(), with_point.end(), text.decimal_mark, '.');
    begin = with_point.data();
    end = begin + with_point.size();
  }
  double value = 0.0;
  if (std::from_chars(begin, end, value).ec == std::errc::result_out_of_range) {
    const std::string_view decimal(begin, static_cast<std::size_t>(end - begin));
    value = is_too_large(decimal) ? std::numeric_limits<double>::infinity() : 0.0;
    if (*begin == '-') value = -value;
  }
  return value;
}

double round_decimal(std::uint64_t mantissa, std::ptrdiff_t exponent, const DecimalText& text) {
  // The algorithm of Lemire (2021) on the digits that are read already, rather than on the text.
  using Binary = fast_float::binary_format<double>;
  const fast_float::adjusted_mantissa found = fast_float::compute_float<Binary>(exponent, mantissa);
  if (found.power2 < 0) return round_text(text);  // too close to call
  constexpr int kFractionBits = 52;
  const std::uint64_t sign = *text.begin == '-' ? std::uint64_t{1} << 63 : 0;
  return std::bit_cast<double>(sign | (static_cast<std::uint64_t>(found.power2) << kFractionBits) |
                               found.mantissa);
}

}  // namespace csv_internal

ParsedNumber parse_number(std::string_view cell, char decimal_mark) {
  const char* const end = cell.data() + cell.size();
  const Decimal number = read_decimal(cell.data(), end, decimal_mark);
  if (number.end == end && !cell.empty()) {
    if (number.is_code) return {NumberKind::kNotANumber, 0.0};
    return {std::isfinite(number.value) ? NumberKind::kNumber : NumberKind::kTooLarge,
            number.value};
  }
  if (!is_infinity_word(cell)) return {NumberKind::kNotANumber, 0.0};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {NumberKind::kInfinity, cell.front() == '-' ? -kInfinity : kInfinity};
}

bool looks_grouped(std::string_view cell) {
  if (!cell.empty() && (cell.front() == '-' || cell.front() == '+')) cell.remove_prefix(1);
  std::size_t lead = 0;
  while (lead < cell.size() && is_digit(cell[lead])) ++lead;
  if (lead < 1 || lead > 3 || cell[0] == '0') return false;  // 0.125 is no thousand
  cell.remove_prefix(lead);
  const std::size_t length = separator_length(cell);
  if (length == 0) return false;
  const std::string_view separator = cell.substr(0, length);
  while (cell.starts_with(separator)) {
    cell.remove_prefix(length);
    if (cell.size() < 3 || !std::all_of(cell.begin(), cell.begin() + 3, is_digit)) return false;
    cell.remove_prefix(3);
  }
  if (cell.empty()) return true;
  const bool has_mark =
      (cell.front() == '.' || cell.front() == ',') && cell.front() != separator[0];
  return has_mark && std::all_of(cell.begin() + 1, cell.end(), is_digit);
}

}  // namespace knockout
