// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/shuffle.h"

#include <algorithm>
#include <bit>

#include "knockout/base/error.h"

namespace knockout {
namespace {

/// A cheap mixing of 32 bits (multiply and fold); the strength of the order comes from the Philox
/// keys.
std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352d;
  x ^= x >> 15;
  x *= 0x846ca68b;
  return x ^ (x >> 16);
}

std::uint32_t low_bits(int count) { return count >= 32 ? ~0u : (1u << count) - 1u; }

}  // namespace

ShuffledRows::ShuffledRows(std::uint32_t rows, Random random) : rows_(rows), random_(random) {
  if (rows == 0) throw ConfigError("there are no rows to shuffle.");
  const int bits = std::max(2, static_cast<int>(std::bit_width(rows - 1)));
  left_bits_ = bits / 2;
  right_bits_ = bits - left_bits_;
}

ShuffledRows::Keys ShuffledRows::keys_of(std::uint64_t epoch) const {
  Keys keys;
  random_.fill_bits(epoch, 0, keys);
  return keys;
}

std::uint32_t ShuffledRows::permute(std::uint32_t index, const Keys& keys) const {
  // An unbalanced Feistel network: each round adds a function of one half to the other, which can
  // always be undone.
  std::uint32_t left = index >> right_bits_;
  std::uint32_t right = index & low_bits(right_bits_);
  for (int round = 0; round < kRounds; round += 2) {
    left = (left ^ mix(right ^ keys[round])) & low_bits(left_bits_);
    right = (right ^ mix(left ^ keys[round + 1])) & low_bits(right_bits_);
  }
  return (left << right_bits_) | right;
}

void ShuffledRows::fill(std::uint64_t first, std::span<std::uint32_t> rows) const {
  std::uint64_t epoch = first / rows_;
  auto index = static_cast<std::uint32_t>(first % rows_);
  Keys keys = keys_of(epoch);
  for (std::uint32_t& row : rows) {
    row = index;
    do {
      row = permute(row, keys);
    } while (row >= rows_);
    if (++index == rows_) {
      index = 0;
      keys = keys_of(++epoch);
    }
  }
}

}  // namespace knockout
