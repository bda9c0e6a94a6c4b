// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/data/table.h"
#include "knockout/schema/column_profile.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// Whether an input says all that a target says: each of its values goes with one class and each
/// class with one value or, in regression, the target is a straight line of it to 0.1 % of its
/// range on every row. Such a column is usually the answer under another name. Stops at the first
/// row that says otherwise, so it costs almost nothing.
bool gives_target_away(const Column& input, const ColumnProfile& input_profile,
                       const Column& target, Task task);

}  // namespace knockout
