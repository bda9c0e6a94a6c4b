// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "media/arrays/pickled_arrays.h"

namespace knockout {

/// The dictionary of whole numbers that a pickle holds; see read_pickled_arrays(). `source` names
/// the file in messages.
NamedIntegers unpickle_arrays(std::string_view pickle, const std::string& source,
                              const Limits& limits = {});

}  // namespace knockout
