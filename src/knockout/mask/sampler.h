// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "knockout/base/random.h"
#include "knockout/mask/plan.h"

namespace knockout {

/// Draws which units a training row loses.
/// A pure function of (seed, stream, member, step, row): no state, safe from any thread.
///   KnockoutSampler sampler(plan, Random(seed, Stream::kKnockout));
///   sampler.draw(step, row, mask);   // mask[unit] = 1 where the unit is knocked out
class KnockoutSampler {
 public:
  /// REQUIRES: a plan from make_plan or plan_from_json (every rate in [0, 1], weights positive).
  KnockoutSampler(const KnockoutPlan& plan, Random random);

  /// Writes 0 or 1 per unit. REQUIRES: mask.size() == units().
  void draw(std::uint64_t step, std::uint32_t row, std::span<std::uint8_t> mask) const;

  int units() const { return units_; }

 private:
  struct Part {
    std::uint64_t cumulative_weight;             ///< Threshold on the first draw of the row.
    std::vector<std::uint64_t> unit_thresholds;  ///< Independent rates.
    double row_rate_low = 0, row_rate_high = 0;
    std::vector<std::uint64_t> pattern_thresholds;  ///< Cumulative.
    std::vector<std::vector<std::uint8_t>> pattern_masks;
    bool complete = false;  ///< Nothing to draw.
  };
  struct Set {
    std::vector<int> units;
    std::uint64_t strength_threshold;
  };

  int units_;
  Random random_;
  std::vector<Part> parts_;
  std::vector<Set> correlated_;
  std::vector<std::uint8_t> may_go_;  ///< 0 for never-missing units.
  bool keep_at_least_one_;
};

}  // namespace knockout
