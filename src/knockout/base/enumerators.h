// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace knockout {

/// Whether an enum has an enumerator of this value. Compilers write one that has none as
/// "(Enum)7", and one that has by its name.
template <auto kValue>
constexpr bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const char next = text[text.rfind(')') + 1];
  return !(next == '-' || (next >= '0' && next <= '9'));
}

/// How many enumerators a scoped enum has, from 0 on without a hole. A list that must have a line
/// for each compares its length with this, so that a forgotten one stops the compiler.
template <typename Enum, std::size_t kBelow = 0>
constexpr std::size_t enumerator_count() {
  if constexpr (is_enumerator<static_cast<Enum>(kBelow)>()) {
    return enumerator_count<Enum, kBelow + 1>();
  } else {
    return kBelow;
  }
}

}  // namespace knockout
