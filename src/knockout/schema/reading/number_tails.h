// SPDX-License-Identifier: Apache-2.0
// What may follow the digits of a number and belongs to it.
#pragma once

#include <string>
#include <string_view>

namespace knockout {

/// Takes "e-5" or "x10^-5" off a text and returns it in the first form; "" where there is none.
std::string take_exponent(std::string_view& text);

/// Drops "± 0.1" behind a number: how sure somebody is of it is no part of it.
void drop_deviation(std::string_view& text);

}  // namespace knockout
