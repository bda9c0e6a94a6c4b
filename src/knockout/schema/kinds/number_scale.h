// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

namespace knockout {

/// Mean, population standard deviation and range of numbers.
struct Moments {
  double mean = 0.0;
  double stddev = 0.0;
  double low = 0.0, high = 0.0;
};

/// Zeros without any number. No overflow, even for numbers near the largest double.
Moments moments_of(std::span<const double> numbers);

/// Where numbers lie and how far they spread.
struct NumberScale {
  double center = 0.0;
  double spread = 0.0;
};

/// A scale that outliers do not move: median and quartiles, the distance of the quartiles taken for
/// that of a normal distribution, whose standard deviation it then is. Where more than half of the
/// numbers are alike, quantiles farther out serve. Absent for numbers without outliers, of which
/// mean and standard deviation say more, and where nearly all are alike.
std::optional<NumberScale> robust_scale(std::span<const double> numbers, const Moments& moments);

}  // namespace knockout
