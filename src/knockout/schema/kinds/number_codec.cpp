// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/kinds/number_codec.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/option.h"
#include "knockout/schema/kinds/number_scale.h"

namespace knockout {
namespace {

double usable_spread(double spread) { return std::isfinite(spread) && spread > 0.0 ? spread : 1.0; }

}  // namespace

ScaledRange NumberCodec::fit(const Feature& feature, std::span<const double> readings,
                             const CodingOptions& options, FeatureCoding& coding) const {
  coding.gaps_inline = options.gaps_inline;
  coding.support = support(feature);
  const Moments moments = moments_of(readings);
  const std::optional<NumberScale> robust =
      options.scaling == Scaling::kRobust ? robust_scale(readings, moments) : std::nullopt;
  const bool as_is = options.scaling == Scaling::kNone;
  const NumberScale scale =
      as_is ? NumberScale{0.0, 1.0} : robust.value_or(NumberScale{moments.mean, moments.stddev});
  // What a standard deviation is, only scaling says.
  const double clip = as_is ? 0.0 : std::min(options.clip_stddevs.value_or(0.0), kLargestScaled);
  const double bend = robust ? clip / 2.0 : clip;
  switch (coding.support) {
    case Support::kInterval:
      coding.center = *feature.lower;
      coding.spread = *feature.upper - *feature.lower;
      coding.clip_high = coding.bend_high = 1.0;
      break;
    case Support::kHalfLine: {
      coding.center = feature.lower ? *feature.lower : *feature.upper;
      const double distance = std::abs(scale.center - coding.center);
      // Data far from their bound (kelvins from 0) would land at dozens of standard deviations.
      const double spread = as_is ? 1.0 : usable_spread(std::max(scale.spread, distance / 5.0));
      coding.spread = feature.lower ? spread : -spread;
      const auto reach = [&](double stddevs) {
        const double farthest = (distance + stddevs * scale.spread) / spread;
        return std::clamp(farthest, stddevs, kLargestScaled);
      };
      if (clip > 0.0) coding.clip_high = reach(clip), coding.bend_high = reach(bend);
      break;
    }
    case Support::kRealLine:
      coding.center = scale.center;
      coding.spread = usable_spread(scale.spread);
      coding.clip_low = -clip;
      coding.clip_high = clip;
      coding.bend_low = -bend;
      coding.bend_high = bend;
      break;
  }

  const Scaler scaled(coding);
  ScaledRange range{coding.clip_low, coding.clip_high, scaled.exact(moments.mean), 0};
  if (coding.clip_low == coding.clip_high) {
    range.low = std::min(scaled.exact(moments.low), scaled.exact(moments.high));
    range.high = std::max(scaled.exact(moments.low), scaled.exact(moments.high));
    if (coding.support == Support::kHalfLine) range.low = 0.0;
    return range;
  }
  for (const double number : readings) {
    const double value = (number - coding.center) / coding.spread;
    range.clipped += value < coding.clip_low || value > coding.clip_high;
  }
  return range;
}

NumberCodec::Scaler::Scaler(const FeatureCoding& coding)
    : center_(coding.center), spread_(coding.spread) {
  if (coding.clip_low == coding.clip_high) return;
  low_ = coding.bend_low;
  high_ = coding.bend_high;
  room_below_ = coding.bend_low - coding.clip_low;
  room_above_ = coding.clip_high - coding.bend_high;
}

double NumberCodec::Scaler::bent(double beyond, double room) {
  if (room == 0.0) return 0.0;
  const double rooms = std::min(beyond / room, kLargestScaled);
  return room * rooms / std::sqrt(1.0 + rooms * rooms);
}

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
