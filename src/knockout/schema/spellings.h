// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "knockout/data/column.h"

namespace knockout {

/// What a person should hear of words that differ in nothing but capitals and blanks ("Yes",
/// "yes"): they are categories of their own but probably mean the same. "" = there are none.
std::string spellings_text(const Column& column);

}  // namespace knockout
