// SPDX-License-Identifier: Apache-2.0
// Figure 2 of the paper: where the points of a standard Gaussian lie, by dimension.
#pragma once

#include "experiments/study.h"

namespace knockout::experiments {

/// The norm of a standard Gaussian vector: the chi distribution. REQUIRES: dimension >= 1.
struct NormDistribution {
  int dimension = 1;

  double density(double norm) const;  ///< REQUIRES: norm >= 0.
  double mean() const;
  double stddev() const;
  /// P(the norm is below `norm`): the regularised incomplete gamma function P(dimension / 2,
  /// norm^2 / 2). REQUIRES: norm >= 0.
  double probability_below(double norm) const;
};

StudyResult reproduce_dimension(const StudyOptions& options);

}  // namespace knockout::experiments
