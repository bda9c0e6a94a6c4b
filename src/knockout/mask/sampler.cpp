// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

// The draws of a row; the header documents all of them.
constexpr std::size_t kPartDraw = 0;
constexpr std::size_t kRowRateDraw = 1;
constexpr std::size_t kPatternDraw = 2;
constexpr std::size_t kRestoreDraw = 3;
constexpr std::size_t kFirstUnitDraw = 4;

/// Rows are drawn in tiles of about this many numbers, which stay in the fastest cache.
constexpr std::size_t kTileDraws = 2048;

std::vector<std::uint64_t> cumulative_thresholds(const auto& weighted) {
  double total = 0;
  for (const auto& entry : weighted) total += entry.weight;
  std::vector<std::uint64_t> thresholds;
  double sum = 0;
  for (const auto& entry : weighted) {
    sum += entry.weight;
    thresholds.push_back(threshold_of_rate(std::min(1.0, sum / total)));
  }
  if (!thresholds.empty()) thresholds.back() = threshold_of_rate(1.0);  // whatever the rounding
  return thresholds;
}

/// Returns the plan. A caller may have put it together by hand.
const KnockoutPlan& checked(const KnockoutPlan& plan) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw ConfigError(fmt::format("the knockout plan cannot be used: {}.", what));
  };
  const auto is_unit = [&](int unit) { return unit >= 0 && unit < plan.units; };
  const auto is_weight = [](double weight) { return weight > 0 && std::isfinite(weight); };
  const auto count = static_cast<std::size_t>(plan.units);
  require(plan.units >= 0, "it has less than 0 units");
  require(plan.never_missing.size() == count, "\"never missing\" needs one entry per unit");
  require(!plan.parts.empty(), "it has no parts");
  for (const KnockoutPlan::Part& part : plan.parts) {
    require(is_weight(part.weight), "the weight of a part is not positive");
    require(part.unit_rates.empty() || part.unit_rates.size() == count,
            "a part needs one rate per unit");
    require(part.row_rate_low <= part.row_rate_high, "a rate of rows must run from low to high");
    for (const KnockoutPlan::Pattern& pattern : part.patterns) {
      require(is_weight(pattern.weight), "the weight of a pattern is not positive");
      require(std::ranges::all_of(pattern.missing_units, is_unit), "a pattern names no unit of it");
    }
  }
  for (const auto& [unit, rate] : plan.own_rates) require(is_unit(unit), "a rate names no unit");
  for (const KnockoutPlan::CorrelatedSet& set : plan.correlated) {
    require(std::ranges::all_of(set.units, is_unit), "a correlated set names no unit of it");
  }
  return plan;
}

}  // namespace

void KnockoutSampler::Thresholds::set(int unit, std::uint64_t threshold) {
  ever[unit] = threshold > 0;
  limits[unit] = threshold > 0 ? static_cast<std::uint32_t>(threshold - 1) : 0;
}

KnockoutSampler::KnockoutSampler(const KnockoutPlan& plan, Random random)
    : units_(checked(plan).units), random_(random), row_rate_applies_(plan.units, 1) {
  bool any_never_missing = false;
  for (int unit = 0; unit < units_; ++unit) {
    const bool never = plan.never_missing[unit];
    any_never_missing |= never;
    if (never || plan.own_rates.contains(unit)) row_rate_applies_[unit] = 0;
    if (!never && plan.own_rates.contains(unit)) own_rate_units_.push_back(unit);
  }
  restore_one_ = plan.keep_at_least_one && !any_never_missing && units_ > 0;

  bool draws_units = false;
  const std::vector<std::uint64_t> part_thresholds = cumulative_thresholds(plan.parts);
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const KnockoutPlan::Part& from = plan.parts[p];
    Part part;
    part.cumulative_threshold = part_thresholds[p];
    if (!from.patterns.empty()) {
      part.pattern_thresholds = cumulative_thresholds(from.patterns);
      for (const auto& pattern : from.patterns) {
        std::vector<int>& units = part.pattern_units.emplace_back(pattern.missing_units);
        std::erase_if(units, [&](int unit) { return plan.never_missing[unit]; });
      }
    } else {
      draws_units = true;
      part.has_row_rate = from.unit_rates.empty();
      part.row_threshold_low = threshold_of_rate(from.row_rate_low);
      part.row_threshold_high = threshold_of_rate(from.row_rate_high);
      part.units.limits.resize(units_);
      part.units.ever.resize(units_);
      for (int unit = 0; unit < units_; ++unit) {
        if (plan.never_missing[unit]) continue;
        const auto own = plan.own_rates.find(unit);
        if (own != plan.own_rates.end()) {
          part.units.set(unit, threshold_of_rate(own->second));
        } else if (!part.has_row_rate) {
          part.units.set(unit, threshold_of_rate(from.unit_rates[unit]));
        }
      }
    }
    parts_.push_back(std::move(part));
  }

  const std::size_t first_set_draw = kFirstUnitDraw + static_cast<std::size_t>(units_);
  for (std::size_t s = 0; s < plan.correlated.size(); ++s) {
    for (const int unit : plan.correlated[s].units) {
      followers_.push_back(
          {unit, first_set_draw + s, threshold_of_rate(plan.correlated[s].strength)});
    }
  }
  first_follow_draw_ = first_set_draw + plan.correlated.size();
  reason_draw_ = first_follow_draw_ + followers_.size();
  reason_threshold_ = threshold_of_rate(plan.reason_share);
  std::size_t draws = draws_units ? reason_draw_ : kFirstUnitDraw;
  if (reason_threshold_ > 0) draws = reason_draw_ + 1;
  draws_per_row_ = (draws + 3) / 4 * 4;  // whole Philox blocks
}

void KnockoutSampler::draw(std::uint64_t step, std::uint32_t row,
                           std::span<std::uint8_t> mask) const {
  draw_rows(step, row, 1, mask);
}

void KnockoutSampler::draw_rows(std::uint64_t step, std::uint32_t first_row, std::size_t rows,
                                std::span<std::uint8_t> masks) const {
  if (masks.size() != rows * static_cast<std::size_t>(units_)) {
    throw ConfigError(fmt::format("room for {} numbers in the masks of {} rows with {} units.",
                                  masks.size(), rows, units_));
  }
  std::array<std::uint32_t, kTileDraws> small_tile;
  std::vector<std::uint32_t> large_tile;
  std::span<std::uint32_t> tile = small_tile;
  if (draws_per_row_ > kTileDraws) {
    large_tile.resize(draws_per_row_);
    tile = large_tile;
  }
  const std::size_t rows_per_tile = tile.size() / draws_per_row_;
  std::uint8_t* mask = masks.data();
  for (std::size_t begin = 0; begin < rows; begin += rows_per_tile) {
    const std::size_t count = std::min(rows_per_tile, rows - begin);
    random_.fill_bits_rows(step, first_row + static_cast<std::uint32_t>(begin), count,
                           tile.first(count * draws_per_row_));
    for (std::size_t r = 0; r < count; ++r, mask += units_) {
      draw_from(tile.subspan(r * draws_per_row_, draws_per_row_), mask);
    }
  }
}

/// One mask from the random numbers of its row, which are used up.
void KnockoutSampler::draw_from(std::span<std::uint32_t> draws, std::uint8_t* mask) const {
  std::size_t chosen = 0;
  while (draws[kPartDraw] >= parts_[chosen].cumulative_threshold) ++chosen;
  const Part& part = parts_[chosen];
  if (part.pattern_units.empty()) {
    draw_units(part, draws, mask);
  } else {
    const auto pattern = std::upper_bound(part.pattern_thresholds.begin(),
                                          part.pattern_thresholds.end(), draws[kPatternDraw]);
    std::fill_n(mask, units_, std::uint8_t{0});
    for (const int unit : part.pattern_units[pattern - part.pattern_thresholds.begin()]) {
      mask[unit] = 1;
    }
  }
  if (restore_one_ && std::find(mask, mask + units_, 0) == mask + units_) {
    mask[static_cast<std::uint64_t>(draws[kRestoreDraw]) * units_ >> 32] = 0;
  }
  if (reason_threshold_ > 0 && draws[reason_draw_] < reason_threshold_) {
    for (int u = 0; u < units_; ++u)
      mask[u] = static_cast<std::uint8_t>(mask[u] * kKnockedOutForAReason);
  }
}

void KnockoutSampler::draw_units(const Part& part, std::span<std::uint32_t> draws,
                                 std::uint8_t* mask) const {
  std::uint32_t* unit_draws = draws.data() + kFirstUnitDraw;
  for (std::size_t k = 0; k < followers_.size(); ++k) {
    const Follower& follower = followers_[k];
    if (draws[first_follow_draw_ + k] < follower.strength_threshold) {
      unit_draws[follower.unit] = draws[follower.common_draw];
    }
  }
  const int units = units_;  // a local, so that writing the mask cannot change it
  const std::uint32_t* limits = part.units.limits.data();
  const std::uint8_t* ever = part.units.ever.data();
  if (!part.has_row_rate) {
    for (int u = 0; u < units; ++u) mask[u] = (unit_draws[u] <= limits[u]) & ever[u];
    return;
  }
  const std::uint64_t width = part.row_threshold_high - part.row_threshold_low;
  const std::uint64_t threshold = part.row_threshold_low + (width * draws[kRowRateDraw] >> 32);
  if (threshold == 0) {
    std::fill_n(mask, units_, std::uint8_t{0});
  } else {
    const auto limit = static_cast<std::uint32_t>(threshold - 1);
    const std::uint8_t* applies = row_rate_applies_.data();
    for (int u = 0; u < units; ++u) mask[u] = (unit_draws[u] <= limit) & applies[u];
  }
  for (const int u : own_rate_units_) mask[u] = (unit_draws[u] <= limits[u]) & ever[u];
}

}  // namespace knockout
