// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace knockout {

/// All bytes of a file. Throws FileError when it cannot be read; `what` says what it is: "the
/// model".
std::string read_bytes(const std::string& path, std::string_view what);

}  // namespace knockout
