// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/mask/plan.h"

namespace knockout {

/// Draws which units a training row loses.
/// A pure function of (seed, stream, member, step, row): no state, safe from any thread.
///   KnockoutSampler sampler(plan, Random(seed, Stream::kKnockout));
///   sampler.draw(step, row, mask);   // mask[unit] = kKnockedOut where the unit is knocked out
///
/// The draws of a row are the 32-bit numbers `Random::bits(step, row, i)`, used as follows, so that
/// another engine can draw the same masks:
///   i = 0              which part of the plan: the first whose cumulative threshold is above it
///   i = 1              the row rate: threshold = low + ((high - low) * draw >> 32), with
///                      thresholds from threshold_of_rate
///   i = 2              which pattern, like the part
///   i = 3              which unit comes back when a row would lose all: draw * units >> 32
///   i = 4 + u          unit u goes missing when its draw is below its threshold
///   i = 4 + U + s      what correlated set s shares in place of its units' own draws (U units)
///   i = 4 + U + S + k  whether a unit of a set takes it: below the threshold of the strength
///                      (S sets; k counts the units of all sets, in plan order)
///   the next one       whether the row's gaps are for a reason: below that of the reason share
/// A cumulative threshold is threshold_of_rate(sum of the weights so far / sum of all); the last
/// one is 2^32.
class KnockoutSampler {
 public:
  /// What a mask says of a unit.
  static constexpr std::uint8_t kKept = 0;
  static constexpr std::uint8_t kKnockedOut = 1;  ///< Takes the first placeholder.
  /// Takes the second, where there is one.
  static constexpr std::uint8_t kKnockedOutForAReason = 2;

  /// Throws ConfigError for a plan that contradicts itself; make_plan() and plan_from_json() give
  /// none.
  KnockoutSampler(const KnockoutPlan& plan, Random random);

  /// Writes what becomes of each unit. Throws ConfigError unless mask.size() == units().
  void draw(std::uint64_t step, std::uint32_t row, std::span<std::uint8_t> mask) const;

  /// The masks of `rows` rows from `first_row` on, one after the other: the same as draw(), several
  /// times faster. Throws ConfigError unless masks.size() == rows * units().
  void draw_rows(std::uint64_t step, std::uint32_t first_row, std::size_t rows,
                 std::span<std::uint8_t> masks) const;

  int units() const { return units_; }

 private:
  /// A threshold in 32 bits, which compare faster than 64: below it = at most `limit`, if `ever`.
  struct Thresholds {
    std::vector<std::uint32_t> limits;
    std::vector<std::uint8_t> ever;
    void set(int unit, std::uint64_t threshold);
  };
  struct Part {
    std::uint64_t cumulative_threshold = 0;
    Thresholds units;  ///< Under a row rate only the units with a rate of their own.
    bool has_row_rate = false;
    std::uint64_t row_threshold_low = 0, row_threshold_high = 0;
    std::vector<std::uint64_t> pattern_thresholds;  ///< Cumulative.
    std::vector<std::vector<int>> pattern_units;    ///< What each pattern knocks out.
  };
  struct Follower {
    int unit = 0;
    std::size_t common_draw = 0;  ///< Where the set's draw is among the row's.
    std::uint64_t strength_threshold = 0;
  };

  void draw_from(std::span<std::uint32_t> draws, std::uint8_t* mask) const;
  void draw_units(const Part& part, std::span<std::uint32_t> draws, std::uint8_t* mask) const;

  int units_;
  Random random_;
  std::vector<Part> parts_;
  std::vector<Follower> followers_;
  std::vector<std::uint8_t> row_rate_applies_;  ///< May go missing, and has no rate of its own.
  std::vector<int> own_rate_units_;
  bool restore_one_;
  std::size_t first_follow_draw_;
  std::size_t reason_draw_;
  std::uint64_t reason_threshold_;
  std::size_t draws_per_row_;
};

}  // namespace knockout
