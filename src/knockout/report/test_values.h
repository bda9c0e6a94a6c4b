// SPDX-License-Identifier: Apache-2.0
// What the tests of reports share.
#pragma once

#include <limits>
#include <string>

namespace knockout::report {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace knockout::report
