// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "knockout/base/option.h"

namespace knockout {

/// What moves the weights. Both trainers mean the same by these.
enum class Optimizer {
  kAdam,  ///< With decoupled weight decay: AdamW (Loshchilov and Hutter 2019).
  kSgd,   ///< With Nesterov's momentum and weight decay that is a part of the gradient.
};
/// As model files and checkpoints call them.
constexpr auto names_of(Optimizer) {
  return std::array{EnumName<Optimizer>{"adam", Optimizer::kAdam},
                    EnumName<Optimizer>{"sgd", Optimizer::kSgd}};
}

/// The settings of Adam that nobody changes (Kingma and Ba 2015).
struct AdamSettings {
  double first_decay = 0.9;     ///< Share of the mean of gradients kept at each step.
  double second_decay = 0.999;  ///< The same of the mean of their squares.
  double epsilon = 1e-8;        ///< Keeps a division by 0 away.
};

inline constexpr double kDefaultMomentum = 0.9;  ///< Of SGD.

}  // namespace knockout
