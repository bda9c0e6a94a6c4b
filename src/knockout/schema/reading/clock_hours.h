// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace knockout {

/// The hours of a time of day or a duration: 14:30 and 2:30 PM are 14.5, 36:15:00 is 36.25. Above
/// 23 hours only with seconds, since 36:15 may be minutes.
std::optional<double> read_clock(std::string_view cell);

}  // namespace knockout
