// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/random.h"

#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

using Counter = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

/// Philox 4x32-10 written a second time from the paper's formulas, with plain division instead of
/// shifts and all round keys computed beforehand.
Counter naive_philox(const Counter& counter, const Key& key) {
  constexpr std::uint64_t kBase = 1ull << 32;
  std::vector<Key> round_keys;
  for (std::uint64_t round = 0; round < 10; ++round) {
    round_keys.push_back({static_cast<std::uint32_t>((key[0] + round * 0x9E3779B9ull) % kBase),
                          static_cast<std::uint32_t>((key[1] + round * 0xBB67AE85ull) % kBase)});
  }
  std::uint64_t left0 = counter[0], right0 = counter[1], left1 = counter[2], right1 = counter[3];
  for (const Key& k : round_keys) {
    const std::uint64_t p0 = 0xD2511F53ull * left0;
    const std::uint64_t p1 = 0xCD9E8D57ull * left1;
    left0 = (p1 / kBase) ^ right0 ^ k[0];
    right0 = p1 % kBase;
    left1 = (p0 / kBase) ^ right1 ^ k[1];
    right1 = p0 % kBase;
  }
  return {static_cast<std::uint32_t>(left0), static_cast<std::uint32_t>(right0),
          static_cast<std::uint32_t>(left1), static_cast<std::uint32_t>(right1)};
}

// The known answers that the authors of Philox publish with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, GivesThePublishedKnownAnswers) {
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, AgreesWithASecondImplementation) {
  Counter counter{1, 2, 3, 4};
  Key key{5, 6};
  for (int i = 0; i < 1000; ++i) {
    const Counter expected = naive_philox(counter, key);
    ASSERT_EQ(philox4x32(counter, key), expected);
    counter = expected;  // wander through the whole space
    key = {expected[3], expected[0]};
  }
}

TEST(Random, FillBitsGivesTheBitsOfEveryUnit) {
  const Random random(7, Stream::kKnockout, 3);
  for (const std::uint64_t step : {0ull, 5ull, 0x123456789abull}) {
    for (std::size_t size = 0; size <= 140; ++size) {
      std::vector<std::uint32_t> bits(size + 1, 0xdeadbeef);
      random.fill_bits(step, 0xfffffff0u, std::span(bits).first(size));
      for (std::uint32_t unit = 0; unit < size; ++unit) {
        ASSERT_EQ(bits[unit], random.bits(step, 0xfffffff0u, unit)) << size << " " << unit;
      }
      ASSERT_EQ(bits[size], 0xdeadbeef) << "wrote past the end";
    }
  }
}

TEST(Random, FillBitsRowsGivesTheBitsOfEveryRowAndUnit) {
  const Random random(11, Stream::kValidation);
  for (const std::size_t rows : {0, 1, 7, 8, 9, 16, 23}) {
    for (const std::size_t units : {4, 8, 32, 36, 104}) {
      std::vector<std::uint32_t> bits(rows * units + 1, 0xdeadbeef);
      // The row number wraps round inside the block of rows.
      const std::uint32_t first_row = 0xfffffffau;
      random.fill_bits_rows(0x987654321ull, first_row, rows, std::span(bits).first(rows * units));
      for (std::uint32_t r = 0; r < rows; ++r) {
        for (std::uint32_t unit = 0; unit < units; ++unit) {
          ASSERT_EQ(bits[r * units + unit], random.bits(0x987654321ull, first_row + r, unit));
        }
      }
      ASSERT_EQ(bits.back(), 0xdeadbeef) << "wrote past the end";
    }
  }
}

TEST(Random, GivesOtherBitsWhenAnyArgumentChanges) {
  std::set<std::uint32_t> seen;
  int draws = 0;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32}) {
    for (const Stream stream : {Stream::kKnockout, Stream::kWeights}) {
      for (const std::uint32_t member : {0u, 1u, 65535u}) {
        const Random random(seed, stream, member);
        for (const std::uint64_t step : {0ull, 1ull, 1ull << 32}) {
          for (const std::uint32_t row : {0u, 1u, 1u << 31}) {
            for (const std::uint32_t unit : {0u, 1u, 2u, 3u, 4u}) {
              seen.insert(random.bits(step, row, unit));
              ++draws;
            }
          }
        }
      }
    }
  }
  // 810 draws from 2^32 values collide with a probability of 810^2 / 2^33 = 0.00008.
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(draws));
}

TEST(Random, EveryBitIsSetHalfOfTheTime) {
  const Random random(3, Stream::kKnockout);
  constexpr int kDraws = 100000;
  std::array<int, 32> ones{};
  for (std::uint32_t row = 0; row < kDraws; ++row) {
    const std::uint32_t bits = random.bits(0, row, 1);
    for (int bit = 0; bit < 32; ++bit) ones[bit] += (bits >> bit) & 1;
  }
  const double stddev = std::sqrt(kDraws) / 2;
  for (const int count : ones) EXPECT_NEAR(count, kDraws / 2.0, 5 * stddev);
}

TEST(Random, UniformIsAnOddMultipleOfAPowerOfTwoSoNeverZeroOrOne) {
  const Random random(5, Stream::kAmpute);
  double sum = 0, sum_of_squares = 0;
  constexpr int kDraws = 200000;
  for (std::uint32_t row = 0; row < kDraws; ++row) {
    const double x = random.uniform(1, row, 0);
    const double scaled = x * 0x1.0p53;
    ASSERT_EQ(std::fmod(scaled, 2.0), 1.0) << x;
    ASSERT_LT(scaled, 0x1.0p53);
    sum += x;
    sum_of_squares += x * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(sum_of_squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
}

TEST(Random, NormalHasTheMomentsAndTailsOfTheStandardNormal) {
  const Random random(9, Stream::kWeights);
  constexpr int kDraws = 200000;
  double sum = 0, squares = 0, fourth = 0;
  int beyond_two = 0;
  for (std::uint32_t row = 0; row < kDraws; ++row) {
    const double x = random.normal(0, row, 2);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyond_two += std::abs(x) > 2;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(fourth / kDraws, 3, 5 * std::sqrt(96.0 / kDraws));
  const double tail = std::erfc(std::sqrt(2.0));
  EXPECT_NEAR(beyond_two / double{kDraws}, tail, 5 * std::sqrt(tail / kDraws));
}

TEST(Random, BelowGivesEveryNumberEquallyOften) {
  const Random random(1, Stream::kShuffle);
  constexpr int kDraws = 70000, kCount = 7;
  std::array<int, kCount> counts{};
  for (std::uint32_t row = 0; row < kDraws; ++row) {
    const std::uint32_t number = random.below(kCount, 4, row, 0);
    ASSERT_LT(number, std::uint32_t{kCount});
    ++counts[number];
  }
  for (const int count : counts) EXPECT_NEAR(count, kDraws / 7.0, 5 * std::sqrt(kDraws / 7.0));
  EXPECT_EQ(random.below(1, 0, 0, 0), 0u);
}

TEST(ThresholdOfRate, IsNeverMetAtZeroAndAlwaysAtOne) {
  EXPECT_EQ(threshold_of_rate(0.0), 0u);
  EXPECT_EQ(threshold_of_rate(1.0), 1ull << 32);  // above every 32-bit number
  EXPECT_EQ(threshold_of_rate(0.5), 1ull << 31);
  EXPECT_EQ(threshold_of_rate(0.25), 1ull << 30);
}

TEST(Random, RefusesWhatHasNoAnswer) {
  const Random random(1, Stream::kSimulation);
  EXPECT_THROW(Random(1, Stream::kSimulation, 65536), ConfigError);
  EXPECT_THROW(random.below(0, 0, 0, 0), ConfigError);
  std::vector<std::uint32_t> out(10);
  EXPECT_THROW(random.fill_bits_rows(0, 0, 2, out), ConfigError);  // 5 each
  EXPECT_THROW(random.fill_bits_rows(0, 0, 3, out), ConfigError);
  EXPECT_THROW(threshold_of_rate(-0.1), ConfigError);
  EXPECT_THROW(threshold_of_rate(1.1), ConfigError);
  EXPECT_THROW(threshold_of_rate(std::nan("")), ConfigError);
}

}  // namespace
}  // namespace knockout
