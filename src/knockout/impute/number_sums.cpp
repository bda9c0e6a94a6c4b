// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/number_sums.h"

#include <array>
#include <span>

namespace knockout {

// Without a branch: gaps come and go at random, and guessing them wrong would cost more than the
// sums. Four sums at a time, since each addition waits for the last.
NumberSums sums_of(const Column& column) {
  constexpr std::size_t kLanes = 4;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t rows = column.size();
  NumberSums total;
  std::size_t begin = 0;
  while (begin < rows && !column.observed(begin)) ++begin;
  if (begin == rows) return total;
  const std::span<const double> numbers = column.numbers();
  const std::span<const CellState> states = column.states();
  total.first = numbers[begin];
  std::array<NumberSums, kLanes> lanes;
  const auto add = [&](NumberSums& lane, std::size_t row) {
    const double number = numbers[row];
    const bool counts = states[row] == CellState::kObserved;
    const double difference = counts ? number - total.first : 0.0;
    lane.sum += difference;
    lane.squares += difference * difference;
    lane.lowest = std::min(lane.lowest, counts ? number : kInfinity);
    lane.highest = std::max(lane.highest, counts ? number : -kInfinity);
    lane.count += counts ? 1 : 0;
  };
  std::size_t row = begin;
  for (; row + kLanes <= rows; row += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) add(lanes[lane], row + lane);
  }
  for (; row < rows; ++row) add(lanes[0], row);
  for (const NumberSums& lane : lanes) {
    total.sum += lane.sum;
    total.squares += lane.squares;
    total.lowest = std::min(total.lowest, lane.lowest);
    total.highest = std::max(total.highest, lane.highest);
    total.count += lane.count;
  }
  return total;
}

}  // namespace knockout
