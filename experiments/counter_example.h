// SPDX-License-Identifier: Apache-2.0
// Appendix A.2 of the paper: what a network learns when the placeholder is a value that data take.
#pragma once

#include "experiments/study.h"

namespace knockout::experiments {

/// The appendix's formula. A network that sees the placeholder x̄ cannot tell a knocked-out input
/// from one that is x̄, so what it can learn of y there is
///   p(y | X' = x̄, rest) = p(y | rest) (1 - r + r P(X = x̄ | y, rest)) / (1 - r + r P(X = x̄ | rest))
/// with r = P(the input is kept). All probabilities are given the rest of the inputs.
struct PlaceholderInSupport {
  double kept = 0.5;                     ///< r
  double outcome = 0.3;                  ///< p(y)
  double placeholder_given_outcome = 1;  ///< P(X = x̄ | y)
  double placeholder = 0.3;              ///< P(X = x̄)

  /// p(y | X' = x̄), where p(y) is wanted. REQUIRES: kept < 1 or placeholder > 0.
  double learned() const;
};

StudyResult reproduce_counter_example(const StudyOptions& options);

}  // namespace knockout::experiments
