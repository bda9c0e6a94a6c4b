// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "knockout/data/table.h"

namespace knockout {

/// Sums over the numbers of a column, of differences from the first: a large mean costs no digits.
struct NumberSums {
  double first = 0, sum = 0, squares = 0, lowest = std::numeric_limits<double>::infinity(),
         highest = -lowest;
  std::size_t count = 0;

  void add(double number) {
    if (count++ == 0) first = number;
    const double difference = number - first;
    sum += difference;
    squares += difference * difference;
    lowest = std::min(lowest, number);
    highest = std::max(highest, number);
  }
};

/// Over the observed cells of a plain column of numbers.
NumberSums sums_of(const Column& column);

}  // namespace knockout
