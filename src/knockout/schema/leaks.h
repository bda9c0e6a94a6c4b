// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "knockout/data/table.h"
#include "knockout/schema/column_profile.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// How much of a target one input says.
enum class Leak {
  kNone,
  /// Nearly all: on at least 30 rows (at most some thousands of them are looked at) the values
  /// order the target with a rank correlation above 0.999 or tell its classes apart but for one
  /// row in a thousand.
  kAlmost,
  /// All: each of its values goes with one class and each class with one value or, in regression,
  /// the target is a straight line of it to 0.1 % of its range on every row.
  kExact,
  /// Its gaps do: one class (almost) always has a value and the others never, or the other way
  /// round, on at least 30 rows. The class has a tenth of them or more.
  kGaps,
};

/// Whether an input is probably the answer under another name. Deterministic; costs almost nothing
/// where it is not.
Leak find_leak(const Column& input, const ColumnProfile& input_profile, const Column& target,
               Task task);

/// "says exactly what the target \"y\" says": what a column does that leaks. REQUIRES: it does.
std::string leak_text(Leak leak, const std::string& target);

}  // namespace knockout
