// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "knockout/base/option.h"

namespace knockout {

/// How the learning rate changes while a network is trained. Both trainers know these.
enum class Schedule {
  kConstant,
  kStep,    ///< Falls as StepDecay says.
  kCosine,  ///< Falls along half a cosine, from the full rate to 0.
};
/// As model files and checkpoints call them.
constexpr auto names_of(Schedule) {
  return std::array{EnumName<Schedule>{"constant", Schedule::kConstant},
                    EnumName<Schedule>{"step", Schedule::kStep},
                    EnumName<Schedule>{"cosine", Schedule::kCosine}};
}

/// Where Schedule::kStep lowers the rate, and by how much.
struct StepDecay {
  std::vector<double> at = {0.4, 0.8};  ///< Shares of the training, each above the one before.
  double factor = 0.2;                  ///< The rate is multiplied by it at each of them.
};

/// Throws ConfigError for shares or a factor that make no sense.
void check(const StepDecay& decay);

/// What the learning rate is multiplied by when a share of the training, from 0 to 1, is done.
double learning_rate_factor(Schedule schedule, const StepDecay& decay, double share_done);

}  // namespace knockout
