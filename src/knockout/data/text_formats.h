// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace knockout {

/// Throws a DataError when the bytes are a text, but no table: a web page, JSON, SQL statements.
/// Says what it is, and the way out.
void refuse_other_formats(std::string_view bytes, const std::string& source);

}  // namespace knockout
