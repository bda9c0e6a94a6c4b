// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/f1.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace knockout {
namespace {

constexpr double kUndecided = std::numeric_limits<double>::quiet_NaN();

ClassCounts sum_of(std::span<const ClassCounts> classes) {
  ClassCounts sum;
  for (const ClassCounts& counts : classes) {
    sum.hits += counts.hits;
    sum.named += counts.named;
    sum.there += counts.there;
  }
  return sum;
}

}  // namespace

double f1_of(const ClassCounts& counts) {
  const double mentions = counts.named + counts.there;
  return mentions > 0 ? 2.0 * counts.hits / mentions : kUndecided;
}

double f1_of(std::span<const ClassCounts> classes, F1Average average) {
  if (average == F1Average::kMicro) return f1_of(sum_of(classes));
  if (average == F1Average::kBinary) {
    assert(classes.size() >= 2);
    return f1_of(classes[1]);
  }
  double sum = 0, weights = 0;
  for (const ClassCounts& counts : classes) {
    const double of_class = f1_of(counts);
    if (std::isnan(of_class)) continue;
    const double weight = average == F1Average::kWeighted ? counts.there : 1.0;
    sum += weight * of_class;
    weights += weight;
  }
  return weights > 0 ? sum / weights : kUndecided;
}

}  // namespace knockout
