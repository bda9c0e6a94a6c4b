// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

using Mask = std::vector<std::uint8_t>;

KnockoutPlan plan_of(int units, std::vector<KnockoutPlan::Part> parts) {
  KnockoutPlan plan;
  plan.units = units;
  plan.parts = std::move(parts);
  plan.never_missing.assign(units, false);
  return plan;
}

/// The mask of a row, straight from the counter layout that the header documents.
Mask naive_draw(const KnockoutPlan& plan, const Random& random, std::uint64_t step,
                std::uint32_t row) {
  const auto draw = [&](std::size_t i) -> std::uint64_t {
    return random.bits(step, row, static_cast<std::uint32_t>(i));
  };
  const auto choose = [](const auto& weighted, std::uint64_t number) {
    double total = 0, sum = 0;
    for (const auto& entry : weighted) total += entry.weight;
    for (std::size_t i = 0; i + 1 < weighted.size(); ++i) {
      sum += weighted[i].weight;
      if (number < threshold_of_rate(sum / total)) return i;
    }
    return weighted.size() - 1;
  };
  const auto& part = plan.parts[choose(plan.parts, draw(0))];
  const std::size_t units = plan.units;
  Mask mask(units, 0);
  if (!part.patterns.empty()) {
    for (const int unit : part.patterns[choose(part.patterns, draw(2))].missing_units) {
      mask[unit] = 1;
    }
  } else {
    const std::uint64_t low = threshold_of_rate(part.row_rate_low);
    const std::uint64_t high = threshold_of_rate(part.row_rate_high);
    const std::uint64_t row_threshold = low + ((high - low) * draw(1) >> 32);
    for (std::size_t unit = 0; unit < units; ++unit) {
      std::uint64_t number = draw(4 + unit);
      std::size_t k = 0;
      for (std::size_t s = 0; s < plan.correlated.size(); ++s) {
        for (const int member : plan.correlated[s].units) {
          const bool follows = draw(4 + units + plan.correlated.size() + k++) <
                               threshold_of_rate(plan.correlated[s].strength);
          if (static_cast<std::size_t>(member) == unit && follows) number = draw(4 + units + s);
        }
      }
      std::uint64_t threshold =
          part.unit_rates.empty() ? row_threshold : threshold_of_rate(part.unit_rates[unit]);
      if (plan.own_rates.contains(unit)) threshold = threshold_of_rate(plan.own_rates.at(unit));
      mask[unit] = number < threshold;
    }
  }
  for (std::size_t unit = 0; unit < units; ++unit) {
    if (plan.never_missing[unit]) mask[unit] = 0;
  }
  if (plan.keep_at_least_one && std::ranges::count(mask, 0) == 0) mask[draw(3) * units >> 32] = 0;
  std::size_t reason_draw = 4 + units + plan.correlated.size();
  for (const auto& set : plan.correlated) reason_draw += set.units.size();
  if (draw(reason_draw) < threshold_of_rate(plan.reason_share)) {
    for (std::uint8_t& state : mask) state = state == 1 ? 2 : 0;
  }
  return mask;
}

KnockoutPlan plan_with_everything(int units) {
  KnockoutPlan plan = plan_of(units, {});
  std::vector<double> rates(units);
  for (int unit = 0; unit < units; ++unit) rates[unit] = unit / (units - 1.0);  // 0 and 1 included
  plan.parts = {{.weight = 1, .unit_rates = rates},
                {.weight = 2, .row_rate_low = 0.1, .row_rate_high = 1},
                {.weight = 0.5, .patterns = {{{0, units - 1}, 1}, {{}, 1.5}, {{1}, 3}}}};
  plan.own_rates = {{1, 0.9}, {2, 0.0}};
  plan.correlated = {{{0, units - 2}, 0.5}, {{1, 3}, 1.0}};
  return plan;
}

TEST(KnockoutSampler, DrawsTheDocumentedMasks) {
  for (const int units : {5, 13, 100, 3000}) {
    for (const bool with_never : {false, true}) {
      KnockoutPlan plan = plan_with_everything(units);
      plan.never_missing[3] = with_never;
      plan.reason_share = with_never ? 0.4 : 0.0;
      const Random random(17, Stream::kKnockout, 2);
      const KnockoutSampler sampler(plan, random);
      const std::uint32_t rows = units > 1000 ? 5 : 200;
      Mask masks(static_cast<std::size_t>(rows) * units, 7);
      sampler.draw_rows(1ull << 40, 1000, rows, masks);
      for (std::uint32_t r = 0; r < rows; ++r) {
        const Mask expected = naive_draw(plan, random, 1ull << 40, 1000 + r);
        const auto begin = masks.begin() + static_cast<std::ptrdiff_t>(r) * units;
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), begin)) << "row " << r;
        Mask one(units, 7);
        sampler.draw(1ull << 40, 1000 + r, one);
        ASSERT_EQ(one, expected) << "row " << r;
      }
    }
  }
}

TEST(KnockoutSampler, RestoresTheDocumentedUnit) {
  KnockoutPlan plan =
      plan_of(3, {{.row_rate_low = 0.5, .row_rate_high = 1}, {.patterns = {{{0, 1, 2}, 1.0}}}});
  plan.keep_at_least_one = true;
  const Random random(5, Stream::kKnockout);
  const KnockoutSampler sampler(plan, random);
  for (std::uint32_t row = 0; row < 1000; ++row) {
    Mask mask(3);
    sampler.draw(9, row, mask);
    ASSERT_EQ(mask, naive_draw(plan, random, 9, row));
    ASSERT_GE(std::ranges::count(mask, 0), 1);
  }
}

TEST(KnockoutSampler, KeepsEveryUnitWhenRateIsZero) {
  for (const auto& part : {KnockoutPlan::Part{.unit_rates = {0, 0, 0, 0}},
                           KnockoutPlan::Part{.row_rate_low = 0, .row_rate_high = 0}}) {
    const KnockoutSampler sampler(plan_of(4, {part}), Random(1, Stream::kKnockout));
    Mask masks(4 * 1000, 9);
    sampler.draw_rows(0, 0, 1000, masks);
    EXPECT_EQ(masks, Mask(4 * 1000, 0));
  }
}

TEST(KnockoutSampler, LosesEveryUnitWhenRateIsOneUnlessItNeverGoesMissing) {
  for (const auto& part : {KnockoutPlan::Part{.unit_rates = {1, 1, 1}},
                           KnockoutPlan::Part{.row_rate_low = 1, .row_rate_high = 1},
                           KnockoutPlan::Part{.patterns = {{{0, 1, 2}, 1.0}}}}) {
    KnockoutPlan plan = plan_of(3, {part});
    plan.never_missing[1] = true;
    plan.keep_at_least_one = true;  // unit 1 is always there, so nothing has to be given back
    const KnockoutSampler sampler(plan, Random(1, Stream::kKnockout));
    for (std::uint32_t row = 0; row < 1000; ++row) {
      Mask mask(3, 9);
      sampler.draw(0, row, mask);
      ASSERT_EQ(mask, (Mask{1, 0, 1}));
    }
  }
}

/// Counts over many rows of several steps.
struct Tally {
  std::vector<double> unit_share;
  std::vector<double> size_share;  ///< Share of the rows that lose 0, 1, .. units.
  double both_first = 0;           ///< Share of the rows that lose units 0 and 1.
};

constexpr int kSteps = 50, kRowsPerStep = 4000;
constexpr double kDraws = double{kSteps} * kRowsPerStep;

Tally tally(const KnockoutPlan& plan) {
  const KnockoutSampler sampler(plan, Random(123, Stream::kKnockout));
  Tally result{std::vector<double>(plan.units), std::vector<double>(plan.units + 1)};
  Mask masks(static_cast<std::size_t>(kRowsPerStep) * plan.units);
  for (int step = 0; step < kSteps; ++step) {
    sampler.draw_rows(step, 0, kRowsPerStep, masks);
    for (int row = 0; row < kRowsPerStep; ++row) {
      const std::uint8_t* mask = masks.data() + static_cast<std::ptrdiff_t>(row) * plan.units;
      for (int unit = 0; unit < plan.units; ++unit) result.unit_share[unit] += mask[unit] / kDraws;
      result.size_share[std::accumulate(mask, mask + plan.units, 0)] += 1 / kDraws;
      if (plan.units > 1) result.both_first += (mask[0] & mask[1]) / kDraws;
    }
  }
  return result;
}

/// Five standard deviations of a share with this mean.
double five_sigma(double mean) { return 5 * std::sqrt(mean * (1 - mean) / kDraws) + 1e-9; }

TEST(KnockoutSampler, PaperRateLeavesHalfOfTheRowsCompleteAndBinomialCountsMissing) {
  const double rate = paper_rate(9);
  const Tally counts = tally(plan_of(9, {{.unit_rates = std::vector<double>(9, rate)}}));
  EXPECT_NEAR(counts.size_share[0], 0.5, five_sigma(0.5));
  double ways = 1;  // 9 choose k
  for (int k = 0; k <= 9; ++k) {
    const double expected = ways * std::pow(rate, k) * std::pow(1 - rate, 9 - k);
    EXPECT_NEAR(counts.size_share[k], expected, five_sigma(expected)) << k << " missing";
    ways = ways * (9 - k) / (k + 1);
  }
}

TEST(KnockoutSampler, ARowRateUniformOnTheUnitIntervalMakesEveryCountEquallyLikely) {
  // The integral of C(n, k) r^k (1 - r)^(n - k) over [0, 1] is 1 / (n + 1) for every k.
  const Tally counts = tally(plan_of(6, {{.row_rate_low = 0, .row_rate_high = 1}}));
  for (int k = 0; k <= 6; ++k) {
    EXPECT_NEAR(counts.size_share[k], 1.0 / 7, five_sigma(1.0 / 7)) << k << " missing";
  }
}

TEST(KnockoutSampler, MeetsTheExpectedRates) {
  KnockoutPlan plan = plan_with_everything(6);
  plan.never_missing[5] = true;
  const std::vector<double> expected = plan.expected_rates();
  const Tally counts = tally(plan);
  for (int unit = 0; unit < 6; ++unit) {
    EXPECT_NEAR(counts.unit_share[unit], expected[unit], five_sigma(expected[unit])) << unit;
  }
}

TEST(KnockoutSampler, MeetsTheExpectedRatesWhenOneUnitIsGivenBack) {
  KnockoutPlan plan = plan_of(3, {{.weight = 1, .unit_rates = {0.9, 0.8, 0.7}},
                                  {.weight = 2, .row_rate_low = 0.5, .row_rate_high = 1},
                                  {.weight = 1, .patterns = {{{0, 1, 2}, 1.0}, {{0}, 1.0}}}});
  plan.keep_at_least_one = true;
  const std::vector<double> expected = plan.expected_rates();
  const Tally counts = tally(plan);
  for (int unit = 0; unit < 3; ++unit) {
    EXPECT_NEAR(counts.unit_share[unit], expected[unit], five_sigma(expected[unit])) << unit;
  }
  EXPECT_EQ(counts.size_share[3], 0);
}

TEST(KnockoutSampler, CorrelatedUnitsKeepTheirRatesAndGoTogetherAsStronglyAsSaid) {
  for (const double strength : {0.0, 0.6, 1.0}) {
    KnockoutPlan plan = plan_of(3, {{.unit_rates = {0.2, 0.3, 0.2}}});
    plan.correlated = {{{0, 1}, strength}};
    const Tally counts = tally(plan);
    EXPECT_NEAR(counts.unit_share[0], 0.2, five_sigma(0.2));
    EXPECT_NEAR(counts.unit_share[1], 0.3, five_sigma(0.3));
    // Both follow the common draw with strength^2; then the rarer one goes only with the other.
    const double both = strength * strength * 0.2 + (1 - strength * strength) * 0.2 * 0.3;
    EXPECT_NEAR(counts.both_first, both, five_sigma(both)) << strength;
  }
}

TEST(KnockoutSampler, PatternsComeByWeight) {
  const Tally counts =
      tally(plan_of(3, {{.patterns = {{{0, 1}, 3}, {{}, 1}, {{0, 1, 2}, 0.5}, {{2}, 0.5}}}}));
  EXPECT_NEAR(counts.size_share[2], 0.6, five_sigma(0.6));
  EXPECT_NEAR(counts.size_share[0], 0.2, five_sigma(0.2));
  EXPECT_NEAR(counts.size_share[3], 0.1, five_sigma(0.1));
  EXPECT_NEAR(counts.size_share[1], 0.1, five_sigma(0.1));
  EXPECT_NEAR(counts.both_first, 0.7, five_sigma(0.7));
}

TEST(KnockoutSampler, KnocksOutForAReasonInTheShareOfTheRowsAndNeverMixesTheTwo) {
  for (const auto& part : {KnockoutPlan::Part{.unit_rates = {0.5, 0.5, 0.5}},
                           KnockoutPlan::Part{.patterns = {{{0, 2}, 1.0}, {{1}, 1.0}}}}) {
    KnockoutPlan plan = plan_of(3, {part});
    plan.reason_share = 0.3;
    const KnockoutSampler sampler(plan, Random(2, Stream::kKnockout));
    double with_gaps = 0, for_a_reason = 0;
    for (std::uint32_t row = 0; row < kRowsPerStep; ++row) {
      Mask mask(3);
      sampler.draw(0, row, mask);
      const auto ordinary = std::ranges::count(mask, KnockoutSampler::kKnockedOut);
      const auto reason = std::ranges::count(mask, KnockoutSampler::kKnockedOutForAReason);
      ASSERT_TRUE(ordinary == 0 || reason == 0);
      with_gaps += ordinary + reason > 0;
      for_a_reason += reason > 0;
    }
    EXPECT_NEAR(for_a_reason / with_gaps, 0.3, 5 * std::sqrt(0.3 * 0.7 / with_gaps));
  }
}

TEST(KnockoutSampler, UnitsOfARowAreIndependent) {
  const Tally counts = tally(plan_of(2, {{.unit_rates = {0.3, 0.4}}}));
  EXPECT_NEAR(counts.both_first, 0.12, five_sigma(0.12));
}

TEST(KnockoutSampler, StepsRowsAndMembersGiveOtherMasks) {
  const KnockoutPlan plan = plan_of(64, {{.unit_rates = std::vector<double>(64, 0.5)}});
  const auto draw = [&](std::uint32_t member, std::uint64_t step, std::uint32_t row) {
    Mask mask(64);
    KnockoutSampler(plan, Random(1, Stream::kKnockout, member)).draw(step, row, mask);
    return mask;
  };
  EXPECT_EQ(draw(0, 1, 2), draw(0, 1, 2));
  EXPECT_NE(draw(0, 1, 2), draw(1, 1, 2));
  EXPECT_NE(draw(0, 1, 2), draw(0, 2, 2));
  EXPECT_NE(draw(0, 1, 2), draw(0, 1, 3));
}

TEST(KnockoutSampler, RefusesAPlanThatContradictsItself) {
  KnockoutPlan sound;
  sound.units = 2;
  sound.never_missing = {false, false};
  sound.parts = {{.weight = 1, .unit_rates = {0.5, 0.5}}};
  const Random random(1, Stream::kKnockout);
  EXPECT_NO_THROW(KnockoutSampler(sound, random));
  const auto refuses = [&](const auto& spoil) {
    KnockoutPlan plan = sound;
    spoil(plan);
    EXPECT_THROW(KnockoutSampler(plan, random), ConfigError);
  };
  refuses([](KnockoutPlan& plan) { plan.units = -1; });
  refuses([](KnockoutPlan& plan) { plan.never_missing.pop_back(); });
  refuses([](KnockoutPlan& plan) { plan.parts.clear(); });
  refuses([](KnockoutPlan& plan) { plan.parts[0].weight = 0; });
  refuses([](KnockoutPlan& plan) { plan.parts[0].unit_rates = {0.5}; });
  refuses([](KnockoutPlan& plan) { plan.parts[0].unit_rates = {0.5, 1.5}; });
  refuses([](KnockoutPlan& plan) { plan.parts[0].patterns = {{{2}, 1.0}}; });
  refuses([](KnockoutPlan& plan) { plan.parts[0].patterns = {{{0}, -1.0}}; });
  refuses([](KnockoutPlan& plan) { plan.own_rates = {{5, 0.5}}; });
  refuses([](KnockoutPlan& plan) { plan.correlated = {{{0, -1}, 0.5}}; });
  refuses([](KnockoutPlan& plan) { plan.reason_share = 2; });
}

TEST(KnockoutSampler, RefusesMasksOfAnotherSize) {
  KnockoutPlan plan;
  plan.units = 2;
  plan.never_missing = {false, false};
  plan.parts = {{.weight = 1, .unit_rates = {0.5, 0.5}}};
  const KnockoutSampler sampler(plan, Random(1, Stream::kKnockout));
  std::vector<std::uint8_t> mask(3);
  EXPECT_THROW(sampler.draw(0, 0, mask), ConfigError);
  EXPECT_THROW(sampler.draw_rows(0, 0, 2, mask), ConfigError);
}

}  // namespace
}  // namespace knockout
