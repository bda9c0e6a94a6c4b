// SPDX-License-Identifier: Apache-2.0
// For tests of what is refused, and of how that is said.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "knockout/base/error.h"

namespace knockout::nn {

inline void expect_refusal(const std::function<void()>& action, const std::string& part) {
  try {
    action();
    FAIL() << "expected a ConfigError that says: " << part;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

}  // namespace knockout::nn
