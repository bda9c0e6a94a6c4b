// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "knockout/base/error.h"

namespace knockout {
namespace {

TEST(AssignFolds, MakesPartsThatDifferByOneRowAtMost) {
  const std::vector<int> folds = assign_folds(103, 5, 7);
  std::map<int, int> sizes;
  for (const int fold : folds) ++sizes[fold];
  EXPECT_EQ(sizes, (std::map<int, int>{{0, 21}, {1, 21}, {2, 21}, {3, 20}, {4, 20}}));
}

TEST(AssignFolds, DealsOutEachStratumEvenly) {
  std::vector<int> strata(1000);
  for (std::size_t i = 0; i < strata.size(); ++i)
    strata[i] = i % 10 == 0 ? 7 : (i % 3 == 0 ? -1 : 2);
  const std::vector<int> folds = assign_folds(strata.size(), 4, 1, strata);
  std::map<int, std::map<int, int>> sizes;
  std::map<int, int> totals;
  for (std::size_t i = 0; i < strata.size(); ++i) {
    ++sizes[strata[i]][folds[i]];
    ++totals[folds[i]];
  }
  for (auto& [stratum, by_fold] : sizes) {
    ASSERT_EQ(by_fold.size(), 4U);
    const auto [least, most] = std::minmax({by_fold[0], by_fold[1], by_fold[2], by_fold[3]});
    EXPECT_LE(most - least, 1) << "stratum " << stratum;
  }
  EXPECT_EQ(totals, (std::map<int, int>{{0, 250}, {1, 250}, {2, 250}, {3, 250}}));
}

TEST(AssignFolds, DependsOnTheSeedAlone) {
  EXPECT_EQ(assign_folds(50, 5, 3), assign_folds(50, 5, 3));
  EXPECT_NE(assign_folds(50, 5, 3), assign_folds(50, 5, 4));
}

TEST(AssignFolds, PutsNeighboursApartAsOftenAsChanceDoes) {
  const std::vector<int> folds = assign_folds(10'000, 2, 11);
  int together = 0;
  for (std::size_t i = 1; i < folds.size(); ++i) together += folds[i] == folds[i - 1];
  EXPECT_NEAR(together, 5'000, 200);  // four standard deviations
}

TEST(AssignFolds, RefusesMorePartsThanRows) {
  EXPECT_THROW(assign_folds(3, 4, 0), ConfigError);
  EXPECT_THROW(assign_folds(3, 0, 0), ConfigError);
  EXPECT_EQ(assign_folds(3, 1, 0), (std::vector<int>{0, 0, 0}));
}

TEST(ShuffledRows, HoldEveryRowOnceInAnOrderOfTheSeedAndTheStep) {
  const Random random(3, Stream::kSplit);
  std::vector<std::size_t> order = shuffled_rows(100, random);
  EXPECT_EQ(shuffled_rows(100, random), order);
  EXPECT_NE(shuffled_rows(100, random, 1), order);
  EXPECT_NE(shuffled_rows(100, Random(4, Stream::kSplit)), order);
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], i);
  EXPECT_TRUE(shuffled_rows(0, random).empty());
}

TEST(ShuffledRows, PutEveryRowFirstAboutEquallyOften) {
  std::vector<int> times(5);
  for (std::uint64_t step = 0; step < 5000; ++step) {
    ++times[shuffled_rows(5, Random(1, Stream::kSplit), step)[0]];
  }
  for (const int count : times) EXPECT_NEAR(count, 1000, 120);  // four standard deviations
}

TEST(AssignFolds, RefusesStrataThatAreNotOnePerRow) {
  const std::vector<int> strata = {0, 1};
  EXPECT_THROW(assign_folds(3, 2, 0, strata), ConfigError);
}

}  // namespace
}  // namespace knockout
