// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "knockout/fit/fit.h"

namespace knockout {

/// Which placeholders were tried, and what they gave.
struct PlaceholderSearch {
  struct Trial {
    double distance = 0;  ///< From the mean, in standard deviations, where numbers have no bounds.
    double loss = 0;      ///< On held-out rows, gaps as in training.
  };
  std::vector<Trial> trials;
  std::size_t best = 0;
  EncodeOptions encode;  ///< With the best placeholders.

  std::string text() const;  ///< What a person should hear.
};

/// Trains one network for a quarter of the steps with each of some placeholders, and takes the one
/// with the lowest loss on rows held out. "Missing" takes the distance, "missing for a reason" its
/// opposite; a bounded column takes the paper's placeholders in the same proportion (a tenth of the
/// distance outside). Deterministic.
PlaceholderSearch search_placeholders(const Table& table, const InferredSchema& inferred,
                                      const FitOptions& options);

}  // namespace knockout
