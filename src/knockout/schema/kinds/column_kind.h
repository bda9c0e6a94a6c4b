// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace knockout {

/// What kind of input a column is: its place in the list of kinds (kinds.h). Nobody outside this
/// folder asks for one by name: what depends on the kind is a question to its ColumnCodec.
enum class ColumnKind {
  kContinuous,   ///< Numbers.
  kCategorical,  ///< One of a list of words (or of numbers used as names).
  kDate,         ///< ISO dates (2008-12-01, optionally with a time): a number plus the season.
  kOrdered,      ///< Categories with an order: one input for every step.
};

}  // namespace knockout
