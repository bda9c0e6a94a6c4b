// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/shuffle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "knockout/base/error.h"

namespace knockout {
namespace {

std::vector<std::uint32_t> rows_from(const ShuffledRows& order, std::uint64_t first,
                                     std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  order.fill(first, rows);
  return rows;
}

TEST(ShuffledRows, VisitsEveryRowOnceAnEpoch) {
  for (const std::uint32_t rows : {1u, 2u, 3u, 7u, 64u, 65u, 1000u, 4097u}) {
    const ShuffledRows order(rows, Random(5, Stream::kShuffle));
    for (const std::uint64_t epoch : {0u, 1u, 17u}) {
      auto visited = rows_from(order, epoch * rows, rows);
      std::sort(visited.begin(), visited.end());
      for (std::uint32_t r = 0; r < rows; ++r)
        ASSERT_EQ(visited[r], r) << rows << " rows, epoch " << epoch;
    }
  }
}

TEST(ShuffledRows, OrdersEachEpochAnew) {
  const ShuffledRows order(1000, Random(5, Stream::kShuffle));
  const auto first = rows_from(order, 0, 1000), second = rows_from(order, 1000, 1000);
  int same = 0;
  for (int i = 0; i < 1000; ++i) same += first[i] == second[i];
  EXPECT_LT(same, 10);  // one is expected by chance
}

TEST(ShuffledRows, GivesTheSameRowWhereverReadingStarts) {
  const ShuffledRows order(10, Random(5, Stream::kShuffle));
  const auto all = rows_from(order, 0, 35);
  for (std::uint64_t first = 0; first < 35; ++first)
    EXPECT_EQ(rows_from(order, first, 1)[0], all[first]);
}

TEST(ShuffledRows, PutsEveryRowFirstAboutEquallyOften) {
  const ShuffledRows order(8, Random(11, Stream::kShuffle));
  std::vector<int> count(8);
  for (int epoch = 0; epoch < 8000; ++epoch) ++count[rows_from(order, 8 * epoch, 1)[0]];
  for (const int times : count) EXPECT_NEAR(times, 1000, 150);
}

TEST(ShuffledRows, AreRefusedWhereThereAreNone) {
  EXPECT_THROW(ShuffledRows(0, Random(1, Stream::kShuffle)), ConfigError);
}

}  // namespace
}  // namespace knockout
