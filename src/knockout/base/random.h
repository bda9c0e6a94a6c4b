// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace knockout {

/// What a random number is for. Each purpose has its own stream, so that adding a draw to one never
/// changes another. Values are part of the contract "same seed, same model": never renumber.
enum class Stream : std::uint32_t {
  kKnockout = 1,    ///< Which units a training row loses.
  kWeights = 2,     ///< Initial network weights.
  kShuffle = 3,     ///< Order of the training rows.
  kSplit = 4,       ///< Which rows are held out for validation.
  kDropout = 5,     ///< Hidden units dropped while training.
  kAmpute = 6,      ///< Cells removed by `knockout ampute`.
  kValidation = 7,  ///< Masks of the validation part.
  kSimulation = 8,  ///< Data drawn for the paper's simulations.
  kAugment = 9,     ///< What a data set changes in a row while training.
  kTrees = 10,      ///< Which units the copies of a row lose that trees are grown from.
};

/// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): every draw is a pure function
/// of (seed, stream, step, row, unit). No state, so any thread may draw any number in any order.
///   Random random(seed, Stream::kKnockout);
///   std::uint32_t bits = random.bits(step, row, unit);
class Random {
 public:
  /// `member` separates the networks of an ensemble. Below 65536, or ConfigError.
  Random(std::uint64_t seed, Stream stream, std::uint32_t member = 0);

  /// 32 uniform bits for one unit.
  std::uint32_t bits(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const;

  /// 32 uniform bits for units 0, 1, ..: `out[unit] == bits(step, row, unit)`, four for the price
  /// of one.
  void fill_bits(std::uint64_t step, std::uint32_t row, std::span<std::uint32_t> out) const;

  /// The same for several rows at once, row after row: `out[r * units + unit] == bits(step,
  /// first_row + r, unit)` with units = out.size() / rows. Throws ConfigError unless units is a
  /// multiple of 4.
  void fill_bits_rows(std::uint64_t step, std::uint32_t first_row, std::size_t rows,
                      std::span<std::uint32_t> out) const;

  /// Uniform on (0, 1): 52 bits, never 0 or 1.
  double uniform(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const;

  /// Standard normal (Box-Muller on two draws of the same counter block).
  double normal(std::uint64_t step, std::uint32_t row, std::uint32_t unit) const;

  /// Uniform integer in [0, count). Bias below 2^-32 * count. Throws ConfigError when
  /// `count` is 0.
  std::uint32_t below(std::uint32_t count, std::uint64_t step, std::uint32_t row,
                      std::uint32_t unit) const;

 private:
  std::array<std::uint32_t, 2> key_;
};

/// The number `t` for which `bits < t` has probability `rate` under 32 uniform bits. As a 64-bit
/// value, so that a rate of 1 is always true and a rate of 0 never. Integer thresholds keep masks
/// identical across compilers and devices. Throws ConfigError for a rate outside [0, 1].
std::uint64_t threshold_of_rate(double rate);

/// The Philox 4x32-10 block function, exposed so that other engines can reproduce the same draws.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

}  // namespace knockout
