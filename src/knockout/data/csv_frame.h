// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace knockout {

/// A table within a frame, as MySQL draws it (+---+---+ above, below and under the header, and a
/// bar at both ends of each line), without the frame: bars between the fields, blank lines where
/// the frame was drawn or rows are counted, so that lines keep their numbers. Nothing when the text
/// is no such table, or has a single column. REQUIRES: `text` is empty or ends with '\n'.
std::optional<std::string> without_frame(std::string_view text);

}  // namespace knockout
