// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace knockout {

/// A text that was written in another encoding, in UTF-8.
struct ConvertedText {
  std::string text;      ///< Without a byte order mark.
  std::string encoding;  ///< "UTF-16", "Windows-1252"; as iconv names it where it is a guess.
  /// Bytes of Windows-1252 in a file that is UTF-8 otherwise, as when two files were joined; 0 when
  /// all of it is in `encoding`.
  std::size_t stray_bytes = 0;
  /// A byte that Windows-1252 leaves open: the text was read so, but `encoding`, a guess, is more
  /// likely.
  std::optional<unsigned char> unknown_byte = {};
};

/// Converts bytes that are not UTF-8: UTF-16 with a byte order mark or recognised by its NULs,
/// other scripts' encodings where their bytes leave no doubt (convert_from_other_script), else
/// Windows-1252 (of which Latin-1 is a part, but for control characters). Nothing when they are no
/// text in either. REQUIRES: `bytes` are not UTF-8, or hold a NUL.
std::optional<ConvertedText> convert_to_utf8(std::string_view bytes);

/// The length of the UTF-8 character at `p`, 0 when it is none (RFC 3629) or NUL.
std::size_t utf8_length(const char* p, const char* end);

}  // namespace knockout
