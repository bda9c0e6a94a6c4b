// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/random.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace knockout {
namespace {

constexpr std::uint32_t kMultiplier0 = 0xD2511F53;
constexpr std::uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
constexpr std::uint32_t kWeyl1 = 0xBB67AE85;

/// The counter of the block that holds `unit`: (block, row, low half of the step, high half).
std::array<std::uint32_t, 4> counter_of(std::uint64_t step, std::uint32_t row,
                                        std::uint32_t block) {
  return {block, row, static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)};
}

double to_unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (static_cast<std::uint64_t>(high) << 21) ^ (low >> 11);
  return (static_cast<double>(bits) + 0.5) * 0x1.0p-53;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = static_cast<std::uint64_t>(kMultiplier0) * counter[0];
    const std::uint64_t product1 = static_cast<std::uint64_t>(kMultiplier1) * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

Random::Random(std::uint64_t seed, Stream stream, std::uint32_t member) {
  assert(member < 65536);
  // The seed fills the key; stream and member are mixed in by one more Philox block, so that
  // neighbouring seeds and members give unrelated keys.
  const auto mixed =
      philox4x32({static_cast<std::uint32_t>(stream), member, 0x6b6e6f63, 0x6b6f7574},
                 {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
  key_ = {mixed[0], mixed[1]};
}

std::uint32_t Random::bits(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const {
  return philox4x32(counter_of(step, row, unit / 4), key_)[unit % 4];
}

void Random::fill_bits(std::uint64_t step, std::uint32_t row, std::span<std::uint32_t> out) const {
  const std::size_t whole_blocks = out.size() / 4;
  for (std::size_t block = 0; block < whole_blocks; ++block) {
    const auto four = philox4x32(counter_of(step, row, static_cast<std::uint32_t>(block)), key_);
    for (std::size_t lane = 0; lane < 4; ++lane) out[4 * block + lane] = four[lane];
  }
  if (out.size() % 4 != 0) {
    const auto four =
        philox4x32(counter_of(step, row, static_cast<std::uint32_t>(whole_blocks)), key_);
    for (std::size_t i = 4 * whole_blocks; i < out.size(); ++i) out[i] = four[i % 4];
  }
}

double Random::uniform(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const {
  const auto four = philox4x32(counter_of(step, row, unit), key_);
  return to_unit_interval(four[0], four[1]);
}

double Random::normal(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const {
  const auto four = philox4x32(counter_of(step, row, unit), key_);
  const double radius = std::sqrt(-2.0 * std::log(to_unit_interval(four[0], four[1])));
  return radius * std::cos(2.0 * std::numbers::pi * to_unit_interval(four[2], four[3]));
}

std::uint32_t Random::below(std::uint32_t count, std::uint64_t step, std::uint32_t row,
                            std::uint32_t unit) const {
  assert(count > 0);
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits(step, row, unit)) * count) >>
                                    32);
}

std::uint64_t threshold_of_rate(double rate) {
  assert(rate >= 0.0 && rate <= 1.0);
  return static_cast<std::uint64_t>(std::llround(rate * 0x1.0p32));
}

}  // namespace knockout
