// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/number_scale.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace knockout {
namespace {

/// A pair of quantiles, at `share` and 1 - `share`, and their distance in a standard normal
/// distribution.
struct QuantilePair {
  double share, normal_distance;
};
constexpr QuantilePair kPairs[] = {
    {0.25, 1.3489795003921634}, {0.1, 2.5631031310892007}, {0.05, 3.2897072539029457}};

/// Only outliers make a standard deviation so many times what the quartiles say. A network copes
/// with less, and what a long tail tells is lost when it is squashed: of 1.5, 4, 10, 20 and 30, the
/// public tables preferred 10 (bench/compare_tables.py).
constexpr double kOutlying = 10.0;

/// The quantile at `share`, between two numbers by their distance to it. Reorders the numbers.
double quantile(std::vector<double>& numbers, double share) {
  const double place = share * static_cast<double>(numbers.size() - 1);
  const auto below = numbers.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(numbers.begin(), below, numbers.end());
  const double part = place - std::floor(place);
  if (part == 0.0) return *below;
  const double above = *std::min_element(below + 1, numbers.end());
  return (1.0 - part) * *below + part * above;
}

}  // namespace

/// Two passes in double; no overflow even for numbers near the largest double.
Moments moments_of(std::span<const double> numbers) {
  if (numbers.empty()) return {};
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  Moments moments{*low, 0.0, *low, *high};
  if (moments.low == moments.high) return moments;  // exactly 0, not what rounding leaves

  // Where squares would overflow or vanish, work in units of a power of two: exact, and 1 for
  // ordinary data.
  const double largest = std::max(std::abs(moments.low), std::abs(moments.high));
  const double unit =
      largest > 1e100 || largest < 1e-100 ? std::ldexp(1.0, std::ilogb(largest)) : 1.0;
  const double count = static_cast<double>(numbers.size());
  double sum = 0.0;
  for (const double number : numbers) sum += number / unit;
  const double mean = sum / count;
  double squares = 0.0;
  for (const double number : numbers) squares += (number / unit - mean) * (number / unit - mean);
  moments.mean = mean * unit;
  moments.stddev = std::sqrt(squares / count) * unit;
  return moments;
}

std::optional<NumberScale> robust_scale(std::span<const double> numbers, const Moments& moments) {
  if (moments.low == moments.high) return std::nullopt;
  std::vector<double> some(numbers.begin(), numbers.end());
  for (const auto& [share, normal_distance] : kPairs) {
    const double low = quantile(some, share), high = quantile(some, 1.0 - share);
    if (!(low < high)) continue;
    const double spread = (high - low) / normal_distance;
    if (!std::isfinite(spread) || moments.stddev < kOutlying * spread) return std::nullopt;
    return NumberScale{quantile(some, 0.5), spread};
  }
  return std::nullopt;
}

}  // namespace knockout
