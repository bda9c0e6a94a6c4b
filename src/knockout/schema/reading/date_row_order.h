// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "knockout/data/column.h"
#include "knockout/schema/reading/reading_options.h"

namespace knockout {

/// Which of day and month comes first, where cells such as 01/05/2021 leave it open: the order in
/// which the rows are sorted, or follow each other at equal steps, if they do so in one order
/// alone. Nothing when neither or both do, or when there are only a few rows. REQUIRES: a text
/// column.
std::optional<DateOrder> order_of_rows(const Column& column);

}  // namespace knockout
