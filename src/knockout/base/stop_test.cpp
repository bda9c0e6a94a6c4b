// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/stop.h"

#include <gtest/gtest.h>

#include <atomic>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"

namespace knockout {
namespace {

TEST(StopScope, EndsLoopsOfEveryThreadOnceAsked) {
  for (const int threads : {1, 4}) {
    std::stop_source source;
    const StopScope scope(source.get_token());
    std::atomic<int> done{0};
    const auto loop = [&] {
      parallel_for(100000, threads, [&](std::size_t index) {
        if (index == 10) source.request_stop();
        ++done;
      });
    };
    EXPECT_THROW(loop(), Cancelled);
    EXPECT_LT(done, 100000);
    EXPECT_THROW(throw_if_stopped(), Cancelled);
  }
}

TEST(StopScope, IsSeenByLoopsWithinLoops) {
  std::stop_source source;
  const StopScope scope(source.get_token());
  const auto loops = [&] {
    parallel_for(2, 2, [&](std::size_t) {
      source.request_stop();
      parallel_for(2, 2, [](std::size_t) { FAIL() << "it was to stop"; });
    });
  };
  EXPECT_THROW(loops(), Cancelled);
}

TEST(StopScope, ChangesNothingBeyondItself) {
  std::stop_source source;
  source.request_stop();
  {
    const StopScope scope(source.get_token());
    EXPECT_THROW(throw_if_stopped(), Cancelled);
  }
  EXPECT_NO_THROW(throw_if_stopped());
  EXPECT_FALSE(current_stop_token().stop_possible());
}

TEST(StopScope, LeavesTheOuterScopeInForceWithoutATokenOfItsOwn) {
  std::stop_source source;
  source.request_stop();
  const StopScope outer(source.get_token());
  const StopScope inner{std::stop_token()};
  EXPECT_THROW(throw_if_stopped(), Cancelled);
}

}  // namespace
}  // namespace knockout
