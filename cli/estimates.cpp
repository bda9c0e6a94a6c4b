// SPDX-License-Identifier: Apache-2.0
#include "cli/estimates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace knockout::cli {
namespace {

constexpr double kHalfInterval = 1.96;  ///< Standard errors in half of a 95 % interval.

}  // namespace

std::string estimate_text(const Estimate& estimate, bool with_sign) {
  if (std::isnan(estimate.value)) return "-";
  const std::string sign = with_sign && estimate.value >= 0 ? "+" : "";
  const double half = kHalfInterval * estimate.standard_error;
  const double digits = half > 0 ? std::max(0.0, 1 - std::floor(std::log10(half)))
                                 : std::numeric_limits<double>::quiet_NaN();
  constexpr double kMostDecimals = 6, kLargest = 1e9;
  if (!(digits <= kMostDecimals) || std::abs(estimate.value) >= kLargest) {
    const std::string value = fmt::format("{}{:.4g}", sign, estimate.value);
    return std::isnan(half) ? value : fmt::format("{} +- {:.2g}", value, half);
  }
  const int decimals = static_cast<int>(digits);
  return fmt::format("{}{:.{}f} +- {:.{}f}", sign, estimate.value, decimals, half, decimals);
}

}  // namespace knockout::cli
