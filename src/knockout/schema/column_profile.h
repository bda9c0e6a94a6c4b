// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "knockout/data/table.h"

namespace knockout {

inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

/// Facts about a column that its kind follows from. Exact; one pass over the rows.
struct ColumnProfile {
  std::size_t rows = 0;
  std::size_t observed = 0;
  std::size_t first_gap = kNoRow;  ///< The first row without a value.
  bool has_reason_gaps = false;    ///< Some cell says itself that it is missing for a reason.
  bool one_value = false;          ///< Exactly one distinct value.

  // Numbers:
  bool all_integers = false;
  bool strictly_monotone = false;  ///< Each number above (or each below) the one before it.
  std::vector<double> few_values;  ///< The distinct numbers, sorted; empty when above ten.
  double low = 0.0, high = 0.0;    ///< Range of the observed numbers.
  std::size_t low_row = 0, high_row = 0;

  // Words:
  std::size_t distinct_words = 0;         ///< Among the observed cells.
  bool all_dates = false;                 ///< Every observed word is an ISO date.
  std::size_t first_non_number = kNoRow;  ///< The first row whose word spells no number.

  bool has_gaps() const { return observed < rows; }
  /// Numbers that are probably codes: whole numbers, at most ten distinct ones.
  bool few_integers() const { return all_integers && !few_values.empty(); }
};

ColumnProfile profile_column(const Column& column);

/// The distinct observed values as labels, sorted (sort_labels). Numbers by label_of_number.
std::vector<std::string> distinct_labels(const Column& column);

/// How many rows each of them has, in the order of their bytes.
std::map<std::string, std::size_t> count_labels(const Column& column);

}  // namespace knockout
