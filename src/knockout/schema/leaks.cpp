// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/leaks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace knockout {
namespace {

constexpr std::size_t kLeastRows = 20;  // fewer agree by chance

std::uint64_t cell_key(const Column& column, std::size_t row) {
  if (column.is_text()) return static_cast<std::uint64_t>(column.codes()[row]);
  return std::bit_cast<std::uint64_t>(column.number(row) + 0.0);  // -0 is 0
}

bool both_observed(const Column& a, const Column& b, std::size_t row) {
  return a.observed(row) && b.observed(row);
}

bool one_to_one(const Column& input, const Column& target) {
  std::unordered_map<std::uint64_t, std::uint64_t> class_of, value_of;
  std::size_t rows = 0;
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (!both_observed(input, target, row)) continue;
    const std::uint64_t value = cell_key(input, row), label = cell_key(target, row);
    if (class_of.emplace(value, label).first->second != label) return false;
    if (value_of.emplace(label, value).first->second != value) return false;
    ++rows;
  }
  // Where every class appears once, any two columns agree.
  return rows >= kLeastRows && value_of.size() >= 2 && rows >= 2 * value_of.size();
}

bool straight_line(const Column& input, const Column& target) {
  // Through the two rows farthest apart, where rounding bends the line least.
  std::size_t rows = 0, low = 0, high = 0;
  double least = 0.0, most = 0.0;
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (!both_observed(input, target, row)) continue;
    const double x = input.number(row), y = target.number(row);
    if (rows == 0 || x < input.number(low)) low = row;
    if (rows == 0 || x > input.number(high)) high = row;
    least = rows == 0 ? y : std::min(least, y);
    most = rows == 0 ? y : std::max(most, y);
    ++rows;
  }
  if (rows < kLeastRows || input.number(low) == input.number(high) || least == most) return false;
  const double x0 = input.number(low), y0 = target.number(low);
  const double slope = (target.number(high) - y0) / (input.number(high) - x0);
  const double tolerance = 1e-3 * (most - least);
  for (std::size_t row = 0; row < input.size(); ++row) {
    if (!both_observed(input, target, row)) continue;
    const double line = y0 + slope * (input.number(row) - x0);
    if (!(std::abs(target.number(row) - line) <= tolerance)) return false;
  }
  return true;
}

}  // namespace

bool gives_target_away(const Column& input, const ColumnProfile& input_profile,
                       const Column& target, Task task) {
  if (input_profile.one_value) return false;
  if (task == Task::kClassification) return one_to_one(input, target);
  return !input.is_text() && !target.is_text() && straight_line(input, target);
}

}  // namespace knockout
