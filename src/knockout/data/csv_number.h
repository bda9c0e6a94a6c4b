// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace knockout {

/// What a cell is when read as a number.
enum class NumberKind : std::uint8_t {
  kNumber,
  kInfinity,    ///< inf, -Inf, Infinity, ...: "missing for a reason" in a numeric column.
  kTooLarge,    ///< Written as a number, but beyond the largest double.
  kNotANumber,  ///< Anything else, codes such as 007 among them.
};

struct ParsedNumber {
  NumberKind kind = NumberKind::kNotANumber;
  double value = 0.0;
};

/// Reads a whole cell, without blanks around it, as a plain number: +1.5, .5, 5., 1e5, 1E+05, but
/// no code. The value is the double nearest to what is written.
ParsedNumber parse_number(std::string_view cell, char decimal_mark);

/// Whether the cell could be a number written with thousands separators: 1,234.5 or 1.234,5 or
/// 1 234 or 1'234.
bool looks_grouped(std::string_view cell);

namespace csv_internal {

inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline constexpr std::uint64_t kWholePowersOfTen[] = {1,      10,      100,      1000,     10000,
                                                      100000, 1000000, 10000000, 100000000};

/// Appends the digits at `p` to `value` (which wraps around beyond 19 digits) and returns the
/// position after them. Takes eight bytes at a time without a branch on the number of digits, which
/// no processor can foresee.
inline const char* read_digits(const char* p, const char* end, std::uint64_t& value) {
  while (std::endian::native == std::endian::little && end - p >= 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, p, 8);
    bytes ^= 0x3030303030303030;  // digits become 0 to 9
    // The high bit of each byte above 9; a carry only reaches bytes behind the first of them.
    const std::uint64_t others = ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
    const int digits = others == 0 ? 8 : std::countr_zero(others) / 8;
    if (digits == 0) return p;
    bytes <<= 8 * (8 - digits);         // zeros in front, and what follows the digits falls out
    bytes = 10 * bytes + (bytes >> 8);  // pairs, in every other byte
    bytes = 100 * (bytes & 0x00FF00FF00FF00FF) + ((bytes >> 16) & 0x000000FF000000FF);  // fours
    bytes = 10000 * (bytes & 0xFFFF) + ((bytes >> 32) & 0xFFFF);                        // all eight
    value = value * kWholePowersOfTen[digits] + bytes;
    p += digits;
    if (digits < 8) return p;
  }
  for (; p != end && is_digit(*p); ++p) value = 10 * value + static_cast<unsigned>(*p - '0');
  return p;
}

/// Adds the exponent at `p`, which is an e, and returns the position after it; `p` when there is
/// none.
inline const char* read_exponent(const char* p, const char* end, std::ptrdiff_t& exponent) {
  const char* q = p + 1;
  const bool negative = q != end && *q == '-';
  if (q != end && (*q == '-' || *q == '+')) ++q;
  if (q == end || !is_digit(*q)) return p;
  std::ptrdiff_t written = 0;
  for (; q != end && is_digit(*q); ++q) {
    if (written < 1'000'000) written = 10 * written + (*q - '0');
  }
  exponent += negative ? -written : written;
  return q;
}

/// A decimal as read_decimal() has recognised it.
struct DecimalText {
  const char* begin = nullptr;
  const char* end = nullptr;
  char decimal_mark = '.';
};

/// The double nearest to a decimal of any length; infinite when too large.
double round_text(const DecimalText& text);

/// The same when its digits are mantissa * 10^exponent.
double round_decimal(std::uint64_t mantissa, std::ptrdiff_t exponent, const DecimalText& text);

}  // namespace csv_internal

/// A decimal number at the start of a text.
struct Decimal {
  const char* end = nullptr;  ///< The position after it; nullptr when there is none.
  double value = 0.0;         ///< The nearest double; infinite when too large.
  /// A code rather than an amount: it has a zero in front of another digit (03484, -012), or it is
  /// whole and has 16 digits or more.
  bool is_code = false;
};

/// Reads the longest decimal number that starts at `begin`. In the header because it is the inner
/// loop of the reader.
inline Decimal read_decimal(const char* const begin, const char* const end, char decimal_mark) {
  if (begin == end) return {};
  // Half of the numbers may be negative at random: no branch on the sign either.
  const bool negative = *begin == '-';
  const char* p = begin + (static_cast<int>(negative) | static_cast<int>(*begin == '+'));
  std::uint64_t mantissa = 0;  // wraps around beyond 19 digits, and is then not used
  const char* const digits = p;
  p = csv_internal::read_digits(p, end, mantissa);
  const std::ptrdiff_t whole_digits = p - digits;
  std::ptrdiff_t digit_count = whole_digits;
  std::ptrdiff_t exponent = 0;
  if (p != end && *p == decimal_mark) {
    const char* const fraction = ++p;
    p = csv_internal::read_digits(p, end, mantissa);
    exponent = fraction - p;
    digit_count += p - fraction;
  }
  if (digit_count == 0) return {};
  if (p != end && (*p | 0x20) == 'e') p = csv_internal::read_exponent(p, end, exponent);
  // Without branches, as all numbers go through here.
  constexpr std::ptrdiff_t kMostAmountDigits = 15;
  const int has_zero_in_front =
      static_cast<int>(*digits == '0') & static_cast<int>(whole_digits > 1);
  const int is_long_and_whole = static_cast<int>(whole_digits > kMostAmountDigits) &
                                static_cast<int>(p == digits + whole_digits);
  const bool is_code = (has_zero_in_front | is_long_and_whole) != 0;
  // Both factors are exact doubles, so that one operation rounds once and thus correctly
  // (Clinger 1990).
  constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53;
  constexpr std::ptrdiff_t kMostDigits = 19;  // what a mantissa holds
  if (digit_count <= kMostDigits && mantissa <= kLargestExact && exponent >= -22 &&
      exponent <= 22) {
    const auto whole = static_cast<double>(mantissa);
    const double magnitude = exponent < 0 ? whole / csv_internal::kPowersOfTen[-exponent]
                                          : whole * csv_internal::kPowersOfTen[exponent];
    return {p,
            std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) |
                                  (static_cast<std::uint64_t>(negative) << 63)),
            is_code};
  }
  const csv_internal::DecimalText text{begin, p, decimal_mark};
  return {p,
          digit_count <= kMostDigits ? csv_internal::round_decimal(mantissa, exponent, text)
                                     : csv_internal::round_text(text),
          is_code};
}

/// Reads a field that is nothing but a plain number: returns the delimiter or '\n' after it, or
/// nullptr when the field is anything else. REQUIRES: end[-1] == '\n'.
inline const char* read_number_field(const char* p, const char* end, char delimiter,
                                     char decimal_mark, double& value) {
  const Decimal number = read_decimal(p, end, decimal_mark);
  if (number.end == nullptr || number.is_code || !std::isfinite(number.value)) return nullptr;
  value = number.value;
  const char* after = number.end;
  if (*after == '\r' && after[1] == '\n') ++after;
  return *after == delimiter || *after == '\n' ? after : nullptr;
}

}  // namespace knockout
