// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace knockout {

/// Without blanks of any kind around it, with one kind of blank, minus, apostrophe and digit
/// inside.
std::string plain_marks(std::string_view cell);

/// Nothing in it has another spelling, blanks around it aside: so are most cells.
bool has_plain_marks(std::string_view cell);

/// Takes the blanks around a text away.
void drop_blanks(std::string_view& text);

}  // namespace knockout
