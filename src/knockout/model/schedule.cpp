// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/schedule.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {

void check(const StepDecay& decay) {
  if (!(decay.factor > 0 && decay.factor <= 1)) {
    throw ConfigError(
        fmt::format("step_decay.factor is {}: the rate is multiplied by it, expected a number "
                    "above 0 and at most 1.",
                    decay.factor));
  }
  double before = 0;
  for (const double at : decay.at) {
    if (!(at > before && at < 1)) {
      throw ConfigError(
          fmt::format("step_decay.at has {} after {}: expected shares of the steps between 0 and "
                      "1, each above the one before.",
                      at, before));
    }
    before = at;
  }
}

double learning_rate_factor(Schedule schedule, const StepDecay& decay, double share_done) {
  double factor = 1.0;
  switch (schedule) {
    case Schedule::kConstant:
      break;
    case Schedule::kStep:
      for (const double at : decay.at) {
        if (share_done >= at) factor *= decay.factor;
      }
      break;
    case Schedule::kCosine:
      factor = 0.5 * (1.0 + std::cos(std::numbers::pi * share_done));
      break;
  }
  return factor;
}

}  // namespace knockout
