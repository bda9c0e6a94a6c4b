// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "knockout/base/random.h"

namespace knockout {

/// Deals `rows` rows into `folds` parts at random: the part of each row, from 0 to folds - 1. The
/// sizes of any two parts differ by one row at most. With `strata` (one number per row, such as the
/// class), so do the rows that each part has of each stratum. A pure function of its arguments.
/// Throws ConfigError unless 1 <= folds <= rows.
///   std::vector<int> fold_of_row = assign_folds(table.rows(), 5, seed, classes);
std::vector<int> assign_folds(std::size_t rows, int folds, std::uint64_t seed,
                              std::span<const int> strata = {});

/// Fisher and Yates' shuffle, by a function that gives an index below a count.
///   shuffle(std::span(order), [&](std::uint32_t count) { return random.below(count, 0, count, 0);
///   });
template <typename Item, typename IndexBelow>
void shuffle(std::span<Item> items, const IndexBelow& index_below) {
  for (std::size_t count = items.size(); count > 1; --count) {
    std::swap(items[count - 1], items[index_below(static_cast<std::uint32_t>(count))]);
  }
}

/// The numbers 0 .. rows - 1 in random order: a pure function of the random numbers and `step`.
std::vector<std::size_t> shuffled_rows(std::size_t rows, const Random& random,
                                       std::uint64_t step = 0);

}  // namespace knockout
