// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/stage.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace knockout {
namespace {

TEST(Stage, IsWhatWasBegunLastAndIsNotOver) {
  EXPECT_EQ(current_stage(), "");
  const Stage outer("comparing");
  {
    const Stage inner("filling gaps");
    EXPECT_EQ(current_stage(), "filling gaps");
  }
  EXPECT_EQ(current_stage(), "comparing");
}

TEST(Stage, MayEndOnAnotherThreadAndOutOfOrder) {
  auto first = std::make_unique<Stage>("first");
  const Stage second("second");
  std::thread([&] { first.reset(); }).join();
  EXPECT_EQ(current_stage(), "second");
}

}  // namespace
}  // namespace knockout
