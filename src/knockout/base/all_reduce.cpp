// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/all_reduce.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/sha256.h"

namespace knockout {

void require_same(AllReduce& processes, std::string_view what, std::string_view text) {
  Sha256 hash;
  hash.add(text);
  const std::string hex = hash.finish();
  // Parts of 32 bits add up without rounding; all are equal when the sum is `size` times each.
  std::array<double, 8> mine{};
  for (std::size_t i = 0; i < mine.size(); ++i) {
    std::uint32_t part = 0;
    std::from_chars(hex.data() + 8 * i, hex.data() + 8 * (i + 1), part, 16);
    mine[i] = part;
  }
  std::array<double, 8> total = mine;
  processes.sum(total);
  double differs = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    differs += total[i] != mine[i] * processes.size();
  }
  // Whoever happens to hold the mean of the others' numbers must hear of it as well.
  processes.sum(std::span(&differs, 1));
  if (differs == 0) return;
  throw PeerError(
      fmt::format("Process {} of {}: the processes do not agree on {}.\n"
                  "  Start all of them with the same command, files and version.",
                  processes.rank(), processes.size(), what));
}

}  // namespace knockout
