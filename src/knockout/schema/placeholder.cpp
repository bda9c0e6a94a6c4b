// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/placeholder.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

/// The margin grows with the data, so that a float can still tell the two apart.
double margin_at(double edge) { return std::max(kPlaceholderMargin, 0.1 * std::abs(edge)); }

bool move_above(double& placeholder, double high) {
  if (placeholder >= high + kPlaceholderMargin) return false;
  placeholder = high + margin_at(high);
  return true;
}

bool move_below(double& placeholder, double low) {
  if (placeholder <= low - kPlaceholderMargin) return false;
  placeholder = low - margin_at(low);
  return true;
}

PlaceholderValues with_reason(double missing, double reason) {
  return {
      .missing = missing, .for_a_reason = reason, .said = reason, .below = reason, .above = reason};
}

}  // namespace

PlaceholderValues recommended_placeholders(Support support) {
  switch (support) {
    case Support::kInterval:
      return with_reason(-1.0, 2.0);
    case Support::kHalfLine:
      return with_reason(-1.0, -2.0);
    case Support::kRealLine:
      break;
  }
  return with_reason(10.0, -10.0);
}

void set_said_apart(PlaceholderValues& values, std::span<const GapKind> learned) {
  values = with_reason(values.missing, values.for_a_reason);
  std::vector<float> taken = {static_cast<float>(values.missing)};
  // Scaled data lie around 0 or begin there: farther out on the same side is outside, too.
  const auto next_free = [&](double first) {
    double times = 1.0;
    const auto is_taken = [&] {
      return std::find(taken.begin(), taken.end(), static_cast<float>(times * first)) !=
             taken.end();
    };
    while (times < kFarthestSaid && is_taken()) ++times;
    taken.push_back(static_cast<float>(times * first));
    return times * first;
  };
  const double reason = values.for_a_reason;
  const auto is_side = [](GapKind kind) {
    return kind == GapKind::kBelow || kind == GapKind::kAbove;
  };
  const bool both = std::count_if(learned.begin(), learned.end(), is_side) == 2;
  for (const GapKind kind : learned) {
    if (kind == GapKind::kUnknownCause) taken.push_back(static_cast<float>(reason));
    if (kind == GapKind::kSaid) values.said = next_free(reason);
    if (kind == GapKind::kBelow) {
      values.below =
          next_free(both && reason > 0.0 && values.missing < 0.0 ? values.missing : reason);
    }
    if (kind == GapKind::kAbove) {
      values.above =
          next_free(both && reason < 0.0 && values.missing > 0.0 ? values.missing : reason);
    }
  }
}

bool move_out_of_range(PlaceholderValues& values, Support support, double low, double high) {
  switch (support) {
    case Support::kInterval: {
      const bool below = move_below(values.missing, low);
      return move_above(values.for_a_reason, high) || below;
    }
    case Support::kHalfLine: {
      const bool first = move_below(values.missing, low);
      return move_below(values.for_a_reason, values.missing) || first;
    }
    case Support::kRealLine:
      break;
  }
  const bool above = move_above(values.missing, high);
  return move_below(values.for_a_reason, low) || above;
}

void require_outside_support(const std::string& column, double placeholder, double low,
                             double high) {
  // As floats, because that is how the network sees them.
  const float seen = static_cast<float>(placeholder);
  if (seen < static_cast<float>(low) || seen > static_cast<float>(high)) return;
  throw ConfigError(fmt::format(
      "The placeholder {} for \"{}\" lies among its scaled values, {:.4g} to {:.4g}.\n"
      "  The network could not tell a gap from a real {}: it would learn one answer for both, a "
      "mixture that is wrong for each.\n"
      "  Choose a number outside that range, or allow it on purpose:  `force_placeholders`",
      placeholder, column, low, high, placeholder));
}

}  // namespace knockout
