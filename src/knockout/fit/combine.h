// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "knockout/fit/held_out_rows.h"
#include "knockout/model/learner.h"

namespace knockout {

/// What answered alone for the rows that its members held out: [fold][learner].
using LearnersByFold = std::vector<std::vector<LearnerPointer>>;

/// How much each of two learners should count: the weights, adding up to 1, whose average has the
/// lowest loss on held-out rows with inputs knocked out. Where these cannot tell, both count alike.
/// A weight of 0 means that the learner only does harm. Deterministic for any number of threads.
/// REQUIRES: two learners in each fold; without folds, the weights are equal.
std::vector<double> learn_weights(const HeldOutJudge& judge, const LearnersByFold& folds);

/// The average of learners, as a learner that is judged and never stored.
LearnerPointer average_of(std::vector<LearnerPointer> learners, std::vector<double> weights,
                          const std::vector<TargetCoding>& targets);

}  // namespace knockout
