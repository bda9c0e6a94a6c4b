// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "knockout/base/error.h"
#include "knockout/base/random.h"

namespace knockout {

std::vector<int> assign_folds(std::size_t rows, int folds, std::uint64_t seed,
                              std::span<const int> strata) {
  if (!strata.empty() && strata.size() != rows) {
    throw ConfigError(
        fmt::format("{} strata for {} rows: give one per row, or none.", strata.size(), rows));
  }
  if (folds < 1 || static_cast<std::size_t>(folds) > rows) {
    throw ConfigError(
        fmt::format("cannot split {} rows into {} parts.\n"
                    "  Ask for at least 1 part and no more parts than rows.",
                    rows, folds));
  }
  const Random random(seed, Stream::kSplit);
  std::vector<std::uint64_t> keys(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto low = static_cast<std::uint32_t>(row);
    keys[row] =
        (std::uint64_t{random.bits(row >> 32, low, 0)} << 32) | random.bits(row >> 32, low, 1);
  }
  // Dealing out the rows stratum by stratum, without starting again at part 0, balances both the
  // strata and the parts.
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const int stratum_a = strata.empty() ? 0 : strata[a];
    const int stratum_b = strata.empty() ? 0 : strata[b];
    return std::tie(stratum_a, keys[a], a) < std::tie(stratum_b, keys[b], b);
  });
  std::vector<int> fold_of_row(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    fold_of_row[order[i]] = static_cast<int>(i % static_cast<std::size_t>(folds));
  }
  return fold_of_row;
}

std::vector<std::size_t> shuffled_rows(std::size_t rows, const Random& random, std::uint64_t step) {
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  shuffle(std::span(order),
          [&](std::uint32_t count) { return random.below(count, step, count - 1, 0); });
  return order;
}

}  // namespace knockout
