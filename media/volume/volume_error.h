// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace knockout {

/// Throws the DataError "path: what." with the remedy on a line of its own.
[[noreturn]] void throw_bad_volume(const std::string& path, std::string_view what,
                                   std::string_view fix = "Write or download the file again.");

}  // namespace knockout
