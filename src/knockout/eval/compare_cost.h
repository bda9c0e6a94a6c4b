// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "knockout/eval/compare.h"

namespace knockout {

/// What a comparison will take, known before it starts.
struct ComparisonCost {
  std::uint64_t methods = 0, folds = 0, repeats = 0;
  std::uint64_t at_a_time = 0;  ///< Trainings that run at once; depends on the threads.
  double answer_bytes = 0;      ///< All answers are kept until they are scored.
  double memory_bytes = 0;      ///< At its peak, the answers included, on top of the table.
  std::string largest = {};     ///< The training that takes most, in words; "" = not known.

  std::uint64_t trainings() const { return methods * folds * repeats; }
  /// "35 trainings (7 methods, 5 folds), 2 at a time: about 1.2 GB of memory. The largest ...".
  std::string text() const;
};

/// REQUIRES: rows of `table` have labels, and `whole` is what its columns are.
ComparisonCost comparison_cost(const Table& table, const InferredSchema& whole,
                               const std::vector<std::shared_ptr<const Method>>& methods,
                               const CompareOptions& options);

/// Throws ConfigError with the figure when the comparison takes more memory than allowed.
void check_cost(const ComparisonCost& cost, const Limits& limits);

}  // namespace knockout
