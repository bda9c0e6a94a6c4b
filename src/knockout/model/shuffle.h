// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "knockout/base/random.h"

namespace knockout {

/// An endless stream of rows, each epoch a new random order, that any thread can read at any
/// position. A Feistel network on the smallest power of two above `rows`, walked until it lands
/// inside (Black and Rogaway 2002), so that no order is stored.
class ShuffledRows {
 public:
  /// REQUIRES: rows > 0.
  ShuffledRows(std::uint32_t rows, Random random);

  /// The rows at positions `first`, `first + 1`, .. of the stream.
  void fill(std::uint64_t first, std::span<std::uint32_t> rows) const;

 private:
  static constexpr int kRounds = 4;
  using Keys = std::array<std::uint32_t, kRounds>;
  Keys keys_of(std::uint64_t epoch) const;
  std::uint32_t permute(std::uint32_t index, const Keys& keys) const;

  std::uint32_t rows_;
  Random random_;
  int left_bits_, right_bits_;
};

}  // namespace knockout
