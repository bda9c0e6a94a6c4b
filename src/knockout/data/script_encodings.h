// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "knockout/data/text_encoding.h"

namespace knockout {

/// Converts a text in Shift-JIS (Japanese), GBK (Chinese), EUC-KR (Korean) or Windows-1251
/// (Cyrillic), as spreadsheets in these countries write CSV, where the pattern of its bytes is that
/// of the script. Nothing where it is not, or where the C library does not know the encoding.
/// REQUIRES: `bytes` are not UTF-8.
std::optional<ConvertedText> convert_from_other_script(std::string_view bytes);

}  // namespace knockout
