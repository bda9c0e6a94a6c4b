// SPDX-License-Identifier: Apache-2.0
// Numbers that no input and no option should have, for tests.
#pragma once

#include <limits>

namespace knockout::nn {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

}  // namespace knockout::nn
