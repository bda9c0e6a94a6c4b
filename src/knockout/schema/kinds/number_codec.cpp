// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/number_codec.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/option.h"

namespace knockout {
namespace {

/// Mean, population standard deviation and range of numbers.
struct Moments {
  double mean = 0.0;
  double stddev = 0.0;
  double low = 0.0, high = 0.0;
};

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

double usable_spread(double spread) { return std::isfinite(spread) && spread > 0.0 ? spread : 1.0; }

}  // namespace

ScaledRange NumberCodec::fit(const Feature& feature, std::span<const double> readings,
                             const CodingOptions& options, FeatureCoding& coding) const {
  coding.gaps_inline = options.gaps_inline;
  coding.support = support(feature);
  const Moments moments = moments_of(readings);
  const double clip = std::min(options.clip_stddevs.value_or(0.0), kLargestScaled);
  switch (coding.support) {
    case Support::kInterval:
      coding.center = *feature.lower;
      coding.spread = *feature.upper - *feature.lower;
      coding.clip_high = 1.0;
      break;
    case Support::kHalfLine: {
      coding.center = feature.lower ? *feature.lower : *feature.upper;
      const double distance = std::abs(moments.mean - coding.center);
      // Data far from their bound (kelvins from 0) would land at dozens of standard deviations.
      const double spread = usable_spread(std::max(moments.stddev, distance / 5.0));
      coding.spread = feature.lower ? spread : -spread;
      const double farthest = (distance + clip * moments.stddev) / spread;
      if (clip > 0.0) coding.clip_high = std::clamp(farthest, clip, kLargestScaled);
      break;
    }
    case Support::kRealLine:
      coding.center = moments.mean;
      coding.spread = usable_spread(moments.stddev);
      coding.clip_low = -clip;
      coding.clip_high = clip;
      break;
  }

  const auto scaled = [&](double number) {
    return std::clamp((number - coding.center) / coding.spread, -kLargestScaled, kLargestScaled);
  };
  ScaledRange range{coding.clip_low, coding.clip_high, scaled(moments.mean), 0};
  if (coding.clip_low == coding.clip_high) {
    range.low = std::min(scaled(moments.low), scaled(moments.high));
    range.high = std::max(scaled(moments.low), scaled(moments.high));
    if (coding.support == Support::kHalfLine) range.low = 0.0;
    return range;
  }
  for (const double number : readings) {
    const double value = scaled(number);
    range.clipped += value < coding.clip_low || value > coding.clip_high;
  }
  return range;
}

NumberCodec::Scaler::Scaler(const FeatureCoding& coding)
    : center_(coding.center),
      spread_(coding.spread),
      low_(coding.clip_low < coding.clip_high ? coding.clip_low : -kLargestScaled),
      high_(coding.clip_low < coding.clip_high ? coding.clip_high : kLargestScaled) {}

std::size_t NumberCodec::encode(const FeatureCoding& coding, const CellReader& cells,
                                const FeatureBlock& out) const {
  const Scaler scaled(coding);
  return cells.visit(
      out.begin, out.end, out.rules,
      [&](std::size_t row, double reading) { *out.values_of(row) = scaled(reading); },
      [&](std::size_t row, CellState state) { out.write_gap(row, state); });
}

std::string NumberCodec::unreadable_text(const std::string& value, const char* expected,
                                         const char* known_as) {
  return fmt::format(
      "cannot read \"{}\" as a {}.\n"
      "  The model knows the column as {}.\n"
      "  Correct the cell or, if \"{}\" means missing:  {}",
      value, expected, known_as, value, field("missing_words", value));
}

}  // namespace knockout
