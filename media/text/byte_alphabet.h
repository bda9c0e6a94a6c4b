// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace knockout {

/// Byte-level vocabularies are text files, so each of the 256 bytes is written as a printable
/// character (Radford et al. 2019): 33..126, 161..172 and 174..255 as the character of that number,
/// the other 68 in their order as the characters from 256 on. A blank is "Ġ".

/// Bytes as characters, in UTF-8.
std::string bytes_to_characters(std::string_view bytes);

/// Back again; nothing when a character stands for no byte or the text is not UTF-8.
std::optional<std::string> characters_to_bytes(std::string_view characters);

}  // namespace knockout
