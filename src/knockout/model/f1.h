// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace knockout {

/// How well one class was found among rows.
struct ClassCounts {
  double hits = 0;   ///< Rows of the class that were predicted to be.
  double named = 0;  ///< Rows that were predicted to be of the class.
  double there = 0;  ///< Rows of the class.
};

/// The harmonic mean of precision and recall: 2 hits / (named + there). NaN where the class is
/// neither named nor there.
double f1_of(const ClassCounts& counts);

/// How the F1 of several classes become one number.
enum class F1Average {
  kBinary,    ///< That of class 1.
  kMacro,     ///< Their mean.
  kMicro,     ///< The F1 of the sums of their counts: the share of rows that are right.
  kWeighted,  ///< Their mean, each weighed by the rows of its class.
};

/// Classes that are neither named nor there count nowhere; NaN where that leaves none.
/// REQUIRES: two classes or more for kBinary.
double f1_of(std::span<const ClassCounts> classes, F1Average average);

}  // namespace knockout
