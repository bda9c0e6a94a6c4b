// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace knockout {

/// For tests: numbers as the bytes of a file.
template <typename T>
std::string raw(const std::vector<T>& values, bool big_endian = false) {
  std::string bytes;
  for (const T value : values) {
    char each[sizeof(T)];
    std::memcpy(each, &value, sizeof(T));
    if (big_endian) std::reverse(each, each + sizeof(T));  // the tests run on little endian
    bytes.append(each, sizeof(T));
  }
  return bytes;
}

}  // namespace knockout
