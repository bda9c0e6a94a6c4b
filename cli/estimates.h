// SPDX-License-Identifier: Apache-2.0
// Estimates with their intervals, for people.
#pragma once

#include <string>

#include "knockout/eval/compare.h"
#include "knockout/eval/metrics.h"

namespace knockout::cli {

/// "0.412 +- 0.021": as many decimals as the interval bears out.
std::string estimate_text(const Estimate& estimate, bool with_sign = false);

/// The square root of an estimate and, to first order (the delta method), its interval: RMSE from
/// MSE.
Estimate root_of(const Estimate& estimate);

/// The root of `a` minus the root of `b`, where `difference` is a - b on the same rows: its
/// variance says how much the two move together.
Estimate root_difference(const Estimate& a, const Estimate& b, const Estimate& difference);

/// The MSE of a method for one target; kNoEstimate where it has none.
Estimate mse_of(const MethodScore& score, std::size_t target);

}  // namespace knockout::cli
