// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace knockout {

/// Whether a word is a usual way to say missing where numbers or dates belong: n/a, unknown, ".",
/// not done, Stata's ".a" to ".z", Eurostat's ":". Upper and lower case are the same.
bool says_missing(std::string_view word);

}  // namespace knockout
