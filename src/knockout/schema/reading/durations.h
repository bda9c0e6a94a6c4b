// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace knockout {

/// The hours of a duration in plain marks: "1h 20min", "2 h", "45 min", "PT3H8M".
std::optional<double> read_duration(std::string_view text);

/// The unit of time that letters spell, in seconds, or 0: "min" is 60.
double seconds_of_unit(std::string_view letters);

}  // namespace knockout
