// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/target_scale.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/schema/kinds/number_scale.h"

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

std::string note_on_far_labels(const Table& table, const Target& target) {
  constexpr double kFarSpreads = 30.0;  // no distribution of rows that belong together gets there
  constexpr double kMostFar = 0.01;
  const Column& column = table.at(target.name);
  std::vector<double> labels;
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.observed(row)) labels.push_back(column.number(row));
  }
  const auto scale = robust_scale(labels, moments_of(labels));
  if (!scale) return "";
  std::size_t far = 0;
  double farthest = scale->center;
  for (const double label : labels) {
    far += std::abs(label - scale->center) > kFarSpreads * scale->spread;
    if (std::abs(label - scale->center) > std::abs(farthest - scale->center)) farthest = label;
  }
  if (far == 0 || static_cast<double>(far) > kMostFar * static_cast<double>(labels.size())) {
    return "";
  }
  return fmt::format(
      "The target \"{}\" has {} value{} far beyond the rest, up to {:g}, which outweigh{} all "
      "other "
      "rows in training. Correct what is a slip.",
      target.name, far, far == 1 ? "" : "s", farthest, far == 1 ? "s" : "");
}

}  // namespace knockout
