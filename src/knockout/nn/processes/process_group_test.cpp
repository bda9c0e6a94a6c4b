// SPDX-License-Identifier: Apache-2.0
// A group of one process; tests/distributed has those of several.
#include "knockout/nn/processes/process_group.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/base/test_free_port.h"
#include "knockout/nn/processes/process_connection.h"

namespace knockout::nn {
namespace {

using namespace std::chrono_literals;

TEST(ProcessGroup, BlamesNoPeerForATypeThatCannotBeAddedUp) {
  ProcessGroup alone({.rank = 0, .size = 1, .port = free_port(), .timeout = 5s});
  try {
    alone.connection().start_sum(torch::ones({2}, torch::kBFloat16), "adding up")();
    FAIL() << "BFloat16 can be added up: gradient_sync.cpp need not refuse it any more";
  } catch (const PeerError& error) {
    FAIL() << error.what();
  } catch (const std::exception&) {
  }
}

TEST(ProcessGroup, SendsTensorsOfAllTypes) {
  ProcessGroup alone({.rank = 0, .size = 1, .port = free_port(), .timeout = 5s});
  for (const auto type : {torch::kBool, torch::kInt16, torch::kBFloat16, torch::kFloat32}) {
    for (const std::vector<std::int64_t>& shape :
         {std::vector<std::int64_t>{2, 3}, std::vector<std::int64_t>{}, {0}}) {
      const torch::Tensor tensor = torch::ones(shape, type);
      alone.connection().start_broadcast(tensor, "sending")();
      EXPECT_TRUE(torch::equal(tensor, torch::ones(shape, type))) << type << shape;
    }
  }
}

TEST(ProcessGroup, NamesAMasterThatIsNotFoundInTime) {
  EXPECT_THROW(ProcessGroup({.rank = 1, .size = 2, .address = "node1.invalid", .timeout = 50ms}),
               ConfigError);
}

}  // namespace
}  // namespace knockout::nn
