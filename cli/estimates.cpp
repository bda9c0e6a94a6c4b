// SPDX-License-Identifier: Apache-2.0
#include "cli/estimates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace knockout::cli {
namespace {

constexpr double kHalfInterval = 1.96;  ///< Standard errors in half of a 95 % interval.

Estimate with_interval(double value, double standard_error, double least) {
  const double half = kHalfInterval * standard_error;
  return {.value = value,
          .low = std::max(least, value - half),
          .high = value + half,
          .standard_error = standard_error};
}

double square(double x) { return x * x; }

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

Estimate root_of(const Estimate& estimate) {
  const double root = std::sqrt(estimate.value);
  if (!(root > 0)) return {root, root, root, root};  // exact, or not known
  return with_interval(root, estimate.standard_error / (2 * root), 0.0);
}

Estimate root_difference(const Estimate& a, const Estimate& b, const Estimate& difference) {
  const double root_a = std::sqrt(a.value), root_b = std::sqrt(b.value);
  const double var_a = square(a.standard_error), var_b = square(b.standard_error);
  const double covariance = (var_a + var_b - square(difference.standard_error)) / 2;
  const double variance = root_a > 0 && root_b > 0 ? var_a / (4 * a.value) + var_b / (4 * b.value) -
                                                         covariance / (2 * root_a * root_b)
                                                   : std::numeric_limits<double>::quiet_NaN();
  return with_interval(root_a - root_b, std::sqrt(variance < 0 ? 0.0 : variance),
                       -std::numeric_limits<double>::infinity());
}

Estimate mse_of(const MethodScore& score, std::size_t target) {
  if (target >= score.metrics.size()) return kNoEstimate;
  const std::vector<Metric>& metrics = score.metrics[target];
  const auto found = std::find(metrics.begin(), metrics.end(), Metric::kMse);
  if (found == metrics.end()) return kNoEstimate;
  return score.estimates[target][static_cast<std::size_t>(found - metrics.begin())];
}

}  // namespace knockout::cli
