// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace knockout {

/// The power of ten that letters after a number stand for (K is 3, M is 6), or 0.
int power_of_multiple(std::string_view suffix);

/// Whether the letters are a unit as often: m, b, and K with a blank before it.
bool is_doubtful_multiple(std::string_view suffix);

}  // namespace knockout
