// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace knockout {

/// A cell taken apart: "-$ 1,234.50 kg". Which of the marks separates decimals is left open: the
/// whole column says.
struct NumberShape {
  bool negative = false;
  bool parentheses = false;   ///< Which made it negative.
  std::string prefix = {};    ///< A currency.
  std::string body = {};      ///< Digits and marks: ',' '.' '\'' and ' ' (any kind of blank).
  std::string exponent = {};  ///< "e-5", or nothing.
  std::string suffix = {};    ///< A unit, a currency or "%".
  std::string flag = {};      ///< A remark that is no unit: "*", "~".
  bool spaced = false;        ///< A blank stands before the suffix.
};

/// The parts of a cell that may be a number in clothes, or nullopt: E11.9, 120/80, 10-20 and 1.2.3a
/// are none.
std::optional<NumberShape> take_apart(std::string_view cell);

/// Whether the body is one number with these marks.
bool fits_marks(std::string_view body, char decimal_mark, char thousands_mark);

/// The number that a shape's body and exponent spell with these marks ('\0' = no thousands mark),
/// times ten to the `power`.
std::optional<double> read_body(const NumberShape& shape, char decimal_mark, char thousands_mark,
                                int power = 0);

/// Whether the digits are a name: a zero before another digit, or a whole number of 16 digits or
/// more.
bool is_code(const NumberShape& shape);

/// The one name of a currency: "€" is "EUR". "" for anything else.
std::string_view currency_key(std::string_view text);

/// What is the same for "kg", "KG" and for "day", "days".
std::string unit_key(std::string_view suffix);

}  // namespace knockout
