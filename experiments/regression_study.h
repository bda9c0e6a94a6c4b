// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/tabular/trainer.h"

namespace knockout::experiments {

/// One repetition of the paper's regression simulation with complete training data.
struct RegressionStudyOptions {
  std::uint64_t seed = 0;
  std::size_t training_rows = 3000;
  std::size_t test_rows = 3000;
  int most_missing = 6;                 ///< Errors are measured with 0 to so many inputs missing.
  std::size_t patterns_per_count = 30;  ///< At most so many sets of missing inputs of each size.
  TrainOptions train;                   ///< Of both networks.
};

/// Mean squared errors against y, averaged over sets of missing inputs of one size.
struct RegressionErrors {
  int missing = 0;
  std::size_t patterns = 0;
  double knockout = 0;
  double mean_imputation = 0;  ///< The same network without knockout, gaps filled with the mean.
  double bayes = 0;            ///< The best there is, from the true distribution.
};

/// Draws the data, fits both networks and measures. Deterministic in the options.
std::vector<RegressionErrors> study_regression(const RegressionStudyOptions& options,
                                               const ProgressFunction& progress = {});

/// At most `limit` of the sets of `size` out of `count` things, ascending, evenly spread over all
/// of them in lexical order.
std::vector<std::vector<int>> some_subsets(int count, int size, std::size_t limit);

}  // namespace knockout::experiments
