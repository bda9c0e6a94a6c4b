// SPDX-License-Identifier: Apache-2.0
// Groups within one process; tests/distributed has those of several.
#include "knockout/nn/processes/process_group.h"

#include <gtest/gtest.h>

#include <future>

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

/// Two ends of one group, in a thread each: what the one has must arrive at the other.
TEST(ProcessGroup, SendsTensorsOfAllTypes) {
  const int port = free_port();
  const auto types = {torch::kBool, torch::kInt16, torch::kBFloat16, torch::kFloat32};
  const std::vector<std::vector<std::int64_t>> shapes = {{2, 3}, {}, {0}};
  const auto sent = [](const std::vector<std::int64_t>& shape, torch::ScalarType type) {
    const std::int64_t count = torch::zeros(shape).numel();
    return torch::arange(1, count + 1).remainder(5).to(type).reshape(shape);
  };
  const auto send_all = [&](int rank) {
    ProcessGroup group({.rank = rank, .size = 2, .port = port, .timeout = 30s});
    std::vector<torch::Tensor> received;
    for (const auto type : types) {
      for (const auto& shape : shapes) {
        const torch::Tensor tensor = rank == 1 ? sent(shape, type) : torch::zeros(shape, type);
        group.connection().start_broadcast(tensor, "sending", /*from=*/1)();
        received.push_back(tensor);
      }
    }
    return received;
  };
  auto sender = std::async(std::launch::async, send_all, 1);
  const std::vector<torch::Tensor> received = send_all(0);
  sender.get();
  std::size_t i = 0;
  for (const auto type : types) {
    for (const auto& shape : shapes) {
      EXPECT_TRUE(torch::equal(received[i++], sent(shape, type))) << type << shape;
    }
  }
}

TEST(ProcessGroup, NamesAMasterThatIsNotFoundInTime) {
  EXPECT_THROW(ProcessGroup({.rank = 1, .size = 2, .address = "node1.invalid", .timeout = 50ms}),
               ConfigError);
}

}  // namespace
}  // namespace knockout::nn
