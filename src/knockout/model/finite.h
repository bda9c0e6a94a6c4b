// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <span>

namespace knockout {

/// Whether each of them is a number, and none infinite. Looks at all of them: without a way out the
/// compiler takes many at once.
template <typename Number>
bool all_finite(std::span<const Number> numbers) {
  bool finite = true;
  for (const Number number : numbers) finite &= std::isfinite(number);
  return finite;
}

}  // namespace knockout
