// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

namespace knockout {

/// Parses JSON from a file that nobody vouches for. Throws ModelFileError with the reason (in the
/// middle of a sentence, without the file's name) for text that is not JSON, an object that names a
/// key twice (parsers disagree on which one counts) and nesting deeper than 64 (programs that walk
/// the result would run out of stack).
nlohmann::json parse_strict_json(std::string_view text);

}  // namespace knockout
