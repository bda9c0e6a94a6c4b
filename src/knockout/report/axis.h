// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace knockout::report {

struct Tick {
  double value = 0;
  std::string label;
};

/// One axis: a range of values, the marks on it, and where a value lies.
struct Axis {
  double low = 0, high = 1;
  bool log = false;
  std::vector<Tick> ticks;  ///< Ascending, all within the range.

  /// 0 at `low`, 1 at `high`; beyond them outside. REQUIRES: value > 0 on a logarithmic axis.
  double share_of(double value) const;
};

/// Ticks at 1, 2 or 5 times a power of ten, at most about `most_ticks` of them, in [low, high].
/// REQUIRES: finite, low <= high; equal ends are moved apart.
Axis linear_axis(double low, double high, int most_ticks = 6);
/// The same at whole numbers only.
Axis whole_axis(double low, double high, int most_ticks = 12);
/// Ticks at powers of ten; where there are few, at 1, 2 and 5 times them. REQUIRES: low > 0.
Axis log_axis(double low, double high, int most_ticks = 8);

/// Labels that tell the values apart with as few digits as possible: 0.25, 0.5; 1,000; 2×10⁷.
std::vector<std::string> tick_labels(const std::vector<double>& values);

/// The range of the values with some air; from 0 where 0 is near, so that lengths compare.
/// Values that are not finite are passed over; [0, 1] when none is left.
std::pair<double, double> padded_range(const std::vector<double>& values, bool log);

}  // namespace knockout::report
