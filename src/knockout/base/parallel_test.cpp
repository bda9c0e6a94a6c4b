// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/parallel.h"

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace knockout {
namespace {

TEST(ParallelFor, VisitsEveryIndexExactlyOnce) {
  for (const int threads : {0, 1, 2, 3, 8, 50}) {
    for (const std::size_t count : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> visits(count);
      parallel_for(count, threads, [&](std::size_t i) { ++visits.at(i); });
      for (const auto& v : visits)
        EXPECT_EQ(v, 1) << count << " indices, " << threads << " threads";
    }
  }
}

TEST(ParallelFor, RunsInOrderOnTheCallersThreadWhenThereIsOne) {
  const auto caller = std::this_thread::get_id();
  std::vector<std::size_t> order;
  parallel_for(5, 1, [&](std::size_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, UsesAsManyThreadsAsItIsTold) {
  // Every body waits until three are inside, which only three threads can achieve.
  std::atomic<int> inside{0};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(3, 3, [&](std::size_t) {
    ++inside;
    while (inside < 3) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(threads.size(), 3u);
}

TEST(ParallelFor, RethrowsTheErrorOfABodyAndStartsNoFurtherIndex) {
  for (const int threads : {1, 4}) {
    std::atomic<int> started{0};
    try {
      parallel_for(1000000, threads, [&](std::size_t i) {
        ++started;
        if (i == 10) throw std::runtime_error("index ten");
      });
      FAIL() << "no exception with " << threads << " threads";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "index ten");
    }
    EXPECT_LT(started, 1000000);
  }
}

TEST(ParallelFor, SurvivesEveryBodyThrowing) {
  EXPECT_THROW(parallel_for(100, 8, [](std::size_t) { throw std::logic_error("each"); }),
               std::logic_error);
}

TEST(ParallelFor, MayBeNested) {
  std::atomic<int> sum{0};
  parallel_for(4, 2, [&](std::size_t i) {
    parallel_for(10, 2, [&](std::size_t j) { sum += static_cast<int>(10 * i + j); });
  });
  EXPECT_EQ(sum, 39 * 40 / 2);
}

TEST(ResolveThreads, KeepsAPositiveNumberAndTurnsTheRestIntoAllCores) {
  EXPECT_EQ(resolve_threads(3), 3);
  EXPECT_GE(resolve_threads(0), 1);
  EXPECT_LE(resolve_threads(1'000'000), 10'000) << "nobody has that many cores";
  EXPECT_EQ(resolve_threads(0), resolve_threads(-1));
}

}  // namespace
}  // namespace knockout
