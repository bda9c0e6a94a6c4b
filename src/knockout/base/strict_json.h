// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace knockout {

// The one door for JSON that comes from outside: models, checkpoints, imputers, vocabularies,
// journals. schema/json_fields.h reads the objects that came through it, field by field.

/// Parses JSON from a file that nobody vouches for. Throws ModelFileError with the reason and the
/// place (in the middle of a sentence, without the file's name) for
/// - text that is not JSON, and a number that no double can hold;
/// - an object that names a key twice: parsers disagree on which one counts;
/// - nesting deeper than 64: programs that walk the result would run out of stack;
/// - more than 100 MB of text or 10 million values, which take some 100 bytes of memory each.
nlohmann::json parse_strict_json(std::string_view text);

/// The whole number that a value is, if it is one of this range: neither 2.0 nor 1e3 nor "2". There
/// is no other way from JSON to an integer: to cast what may be 1e300 is undefined.
std::optional<std::int64_t> whole_number(
    const nlohmann::json& value, std::int64_t least = 0,
    std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace knockout
