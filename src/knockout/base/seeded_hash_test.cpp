// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/seeded_hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <set>
#include <string>

#include "knockout/base/test_colliding_words.h"

namespace knockout {
namespace {

TEST(SeededHash, TellsWordsApartThatStdHashTakesForTheSame) {
#ifndef __GLIBCXX__
  GTEST_SKIP() << "the words are forged for libstdc++";
#endif
  std::set<std::size_t> known, seeded;
  for (const std::string& word : test::CollidingWords().make(400)) {
    known.insert(std::hash<std::string_view>{}(word));
    seeded.insert(SeededHash{}(word));
  }
  EXPECT_EQ(known.size(), 1U);
  EXPECT_EQ(seeded.size(), 400U);
}

TEST(SeededHash, DependsOnEveryByteAndOnTheLength) {
  std::set<std::size_t> hashes;
  std::size_t words = 0;
  for (std::size_t length = 0; length <= 50; ++length) {
    const std::string word(length, 'a');
    hashes.insert(SeededHash{}(word));
    ++words;
    for (std::size_t place = 0; place < length; ++place) {
      for (const char other : {'b', '\0', '\xFF'}) {
        std::string changed = word;
        changed[place] = other;
        hashes.insert(SeededHash{}(changed));
        ++words;
      }
    }
  }
  EXPECT_EQ(hashes.size(), words);
}

TEST(SeededHash, IsOtherWithOtherSeeds) {
  const HashSeeds seeds = draw_hash_seeds();
  EXPECT_NE(seeds.first, kHashSeeds.first);
  EXPECT_NE(seeds.second, kHashSeeds.second);
  EXPECT_NE(seeds.third, kHashSeeds.third);
}

TEST(SeededHash, SpreadsNumbersThatShareTheirLowBits) {
  // The buckets of a table are low bits or remainders: multiples of both must not meet.
  for (const std::uint64_t step : {std::uint64_t{1} << 32, std::uint64_t{172933} << 20}) {
    std::set<std::size_t> low_bits, remainders;
    for (std::uint64_t i = 1; i <= 1000; ++i) {
      low_bits.insert(SeededHash{}(i * step) & 0xFFFF);
      remainders.insert(SeededHash{}(i * step) % 172933);
    }
    EXPECT_GT(low_bits.size(), 900U);  // 992 of 1,000 by chance
    EXPECT_GT(remainders.size(), 900U);
  }
}

TEST(SeededHash, IsTheSameForEqualNumbers) {
  EXPECT_EQ(SeededHash{}(0.0), SeededHash{}(-0.0));
  EXPECT_NE(SeededHash{}(1.0), SeededHash{}(-1.0));
  EXPECT_NE(SeededHash{}(1.0), SeededHash{}(1.0 + std::numeric_limits<double>::epsilon()));
}

TEST(HashMap, FindsAWordWhateverHoldsIt) {
  const HashMap<std::string, int> places = {{"one", 1}, {"two", 2}};
  EXPECT_EQ(places.find(std::string_view("two"))->second, 2);
  EXPECT_EQ(places.find("one")->second, 1);
  EXPECT_FALSE(places.contains("three"));
}

}  // namespace
}  // namespace knockout
