// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/option.h"

#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {

bool NumberRange::contains(double number) const {
  return std::isfinite(number) && (low_excluded ? number > low : number >= low) &&
         (high_excluded ? number < high : number <= high);
}

std::string NumberRange::text() const {
  const bool below = std::isfinite(low), above = std::isfinite(high);
  if (!below && !above) return "any";
  std::string from = below ? fmt::format("{} {}", low_excluded ? "above" : "from", low) : "";
  if (!above) return from;
  const std::string to = high_excluded ? fmt::format("below {}", high) : fmt::format("{}", high);
  if (!below) return high_excluded ? to : "up to " + to;
  return fmt::format("{} to {}", from, to);
}

void require_in_range(const OptionText& text, double number) {
  if (text.range.contains(number)) return;
  throw ConfigError(
      fmt::format("{} is {}: expected a number {}.", field(text.name), number, text.range.text()));
}

std::string field(std::string_view name) { return fmt::format("`{}`", name); }

std::string field(std::string_view name, std::string_view value) {
  std::string doubled;  // a backquote within the value is written twice, so that its end is clear
  for (const char c : value) doubled += c == '`' ? "``" : std::string(1, c);
  return fmt::format("`{} = {}`", name, doubled);
}

}  // namespace knockout
