// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/data/column.h"

namespace knockout {

/// Whether a word of a text column begins or ends with a blank: files keep those within quotes.
bool has_outer_blanks(const Column& column);

/// " Paris" is "Paris", and a cell of nothing but blanks is missing.
Column without_outer_blanks(const Column& column);

}  // namespace knockout
