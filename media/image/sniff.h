// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace knockout {

bool looks_like_jpeg(std::string_view bytes);
bool looks_like_png(std::string_view bytes);

/// What the first bytes of a file that is no JPEG or PNG look like, for a message: "a GIF", "an
/// HTML page", "empty".
std::string describe_bytes(std::string_view bytes);

}  // namespace knockout
