// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace knockout {

/// A number that probably stands for a gap, and the number of its cells.
struct Sentinel {
  double value = 0.0;
  std::size_t cells = 0;
};

/// Values at the ends of a column that lie so far outside the rest that they may mean missing:
/// -999, 9999, -1 among counts, 0 among large amounts. Lowest first. Linear in the numbers.
std::vector<Sentinel> find_sentinels(std::span<const double> numbers);

}  // namespace knockout
