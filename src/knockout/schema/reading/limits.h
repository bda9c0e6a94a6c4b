// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "knockout/schema/reading/number_format.h"

namespace knockout {

/// Whether a cell of a column of numbers says that the value lies beyond what could be measured or
/// told: <0.5, > 90, <LOD, BDL, 90+, less than 5. The number is written in the column's format.
bool is_limit(std::string_view cell, const NumberFormat& format);

}  // namespace knockout
