// SPDX-License-Identifier: Apache-2.0
// Estimates with their intervals, for people.
#pragma once

#include <string>

#include "knockout/eval/metrics.h"

namespace knockout::cli {

/// "0.412 +- 0.021": as many decimals as the interval bears out.
std::string estimate_text(const Estimate& estimate, bool with_sign = false);

}  // namespace knockout::cli
