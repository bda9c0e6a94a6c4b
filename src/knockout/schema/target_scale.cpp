// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/target_scale.h"

#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {

TargetScale target_scale(const Table& table, const Target& target) {
  const Column& column = table.at(target.name);
  if (column.is_text()) {
    throw DataError(
        fmt::format("{}, column \"{}\": it holds words where the target is a number.\n"
                    "  Give a column of numbers, or predict classes.",
                    table.source(), target.name));
  }
  TargetScale scale;
  double sum = 0.0, squares = 0.0, count = 0.0;
  for (std::size_t r = 0; r < column.size(); ++r) {
    if (column.observed(r)) sum += column.number(r), count += 1.0;
  }
  scale.mean = count > 0 ? sum / count : 0.0;
  for (std::size_t r = 0; r < column.size(); ++r) {
    if (column.observed(r))
      squares += (column.number(r) - scale.mean) * (column.number(r) - scale.mean);
  }
  scale.stddev = squares > 0 ? std::sqrt(squares / count) : 1.0;
  // Squares of numbers beyond 1e150 overflow, those of numbers below 1e-150 vanish.
  constexpr double kSmallest = 1e-140;
  if (!std::isfinite(scale.mean) || !std::isfinite(scale.stddev) || scale.stddev < kSmallest ||
      (squares == 0.0 && scale.mean != 0.0 && std::abs(scale.mean) < kSmallest)) {
    throw DataError(
        fmt::format("{}, column \"{}\": its values are too large or too small to compute "
                    "with.\n  Rescale the target.",
                    table.source(), target.name));
  }
  return scale;
}

}  // namespace knockout
