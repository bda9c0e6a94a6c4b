// SPDX-License-Identifier: Apache-2.0
// What the options of all networks have in common.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout::nn {

/// Throws ConfigError for a size below 1.
inline void check_sizes(std::string_view network,
                        std::initializer_list<std::pair<std::string_view, std::int64_t>> sizes) {
  for (const auto& [name, size] : sizes) {
    if (size < 1) {
      throw ConfigError(fmt::format("{}: {} must be at least 1, not {}.", network, name, size));
    }
  }
}

/// Throws ConfigError for a rate outside [0, 1).
inline void check_rate(std::string_view network, std::string_view name, double rate) {
  if (!(rate >= 0.0 && rate < 1.0)) {
    throw ConfigError(
        fmt::format("{}: {} must be at least 0 and below 1, not {}.", network, name, rate));
  }
}

/// Throws ConfigError about the modalities of a Knockout module, or about what is given for them.
[[noreturn]] inline void refuse_modalities(const std::string& what) {
  throw ConfigError("Knockout: " + what);
}

}  // namespace knockout::nn
