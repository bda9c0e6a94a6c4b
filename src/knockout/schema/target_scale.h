// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "knockout/data/table.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// What a number to be predicted is standardised by.
struct TargetScale {
  double mean = 0.0, stddev = 1.0;
};

/// Of the labels that are there; a constant target has a stddev of 1. Throws DataError for values
/// too large or too small to compute with. REQUIRES: a regression target of the table.
TargetScale target_scale(const Table& table, const Target& target);

}  // namespace knockout
