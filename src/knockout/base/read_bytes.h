// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace knockout {

/// What a file that is read whole may hold: it is in memory as bytes, as tensors and as what they
/// are for, so a third of what Limits allow.
std::uint64_t most_file_bytes();

/// All bytes of a file. Throws FileError when it cannot be read or holds more than `most`: a pipe
/// or a device may never end. `what` says what it is: "the model".
std::string read_bytes(const std::string& path, std::string_view what,
                       std::uint64_t most = most_file_bytes());

}  // namespace knockout
