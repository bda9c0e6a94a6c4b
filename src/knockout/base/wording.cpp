// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/wording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace knockout {

std::string with_thousands(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_thousands(count), noun, count == 1 ? "" : "s");
}

std::string_view agreeing(std::uint64_t count, std::string_view one, std::string_view more) {
  return count == 1 ? one : more;
}

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string short_list(const std::vector<std::string>& items, std::size_t shown) {
  if (items.size() <= shown) return fmt::format("{}", fmt::join(items, ", "));
  const auto end = items.begin() + static_cast<std::ptrdiff_t>(shown);
  return fmt::format("{} and {} more", fmt::join(items.begin(), end, ", "), items.size() - shown);
}

}  // namespace knockout
