// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

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

/// What a person should hear of labels that lie so far from the rest that training sees little
/// else: the squared error of a slip of the keyboard outweighs that of all other rows. "" =
/// nothing. They are not squashed as inputs are, because the answer to a long tail is its mean.
/// REQUIRES: as target_scale().
std::string note_on_far_labels(const Table& table, const Target& target);

}  // namespace knockout
