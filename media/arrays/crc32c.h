// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace knockout {

/// The checksum of iSCSI (RFC 3720) and of TFRecord files: CRC-32 with Castagnoli's polynomial.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace knockout
