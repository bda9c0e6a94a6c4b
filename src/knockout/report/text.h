// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/wording.h"

namespace knockout::report {

/// Text that is safe to show: bytes that are no UTF-8, control characters and characters that turn
/// the direction of writing (with which a name can pose as another) become U+FFFD; line ends and
/// tabs become blanks.
std::string clean(std::string_view text);

/// clean(), with the characters that mean something to HTML replaced: safe between tags and inside
/// attributes in double quotes.
std::string escape(std::string_view text);

/// How many columns of a fixed-width font the text takes: 2 for ideographs, 0 for accents that sit
/// on the character before. Good enough to reserve room in a chart.
std::size_t display_width(std::string_view text);

/// The text, or its beginning with "…" when it is wider than `columns`. REQUIRES: columns > 0.
std::string shorten(std::string_view text, std::size_t columns);

/// A number at full precision: the shortest digits that read back as the same double. "–" for NaN,
/// "∞" and "−∞" for the infinities.
std::string exact_number(double number);
/// A number for people: three significant digits, never fewer than the whole part has.
std::string short_number(double number);
/// Numbers that stand one below the other: the same decimals for all, so many significant digits
/// for the largest.
std::vector<std::string> aligned_numbers(const std::vector<double>& numbers, int digits = 4);

}  // namespace knockout::report
