// SPDX-License-Identifier: Apache-2.0
// How a training ends before its time, and what it leaves behind in the program that asked for it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <stop_token>
#include <thread>

#include "knockout/base/error.h"
#include "knockout/nn/test_training.h"
#include "knockout/nn/training/lent_generator.h"
#include "knockout/nn/training/one_thread.h"
#include "knockout/nn/training/trainer.h"

namespace knockout::nn {
namespace {

namespace fs = std::filesystem;

/// A training whose loss asks for its end in the middle of a step.
struct CancelledAfter {
  CancelledAfter(torch::nn::Sequential network, int steps) : task(task_of(network)) {
    task.loss = [this, steps, loss = task.loss](const Batch& batch) {
      if (++losses == steps) source.request_stop();
      return loss(batch);
    };
  }

  std::stop_source source;
  int losses = 0;
  TrainingTask task;
};

/// The mode of every part of a network.
std::vector<bool> modes_of(const torch::nn::Sequential& network) {
  std::vector<bool> modes;
  for (const auto& part : network->modules()) modes.push_back(part->is_training());
  return modes;
}

/// A network whose batch norm is frozen, as in fine-tuning.
torch::nn::Sequential network_in_two_modes() {
  auto network = stateful_network();
  network[2]->eval();
  return network;
}

TEST(TrainCancelled, TakesNoFurtherStep) {
  auto network = network_in_two_modes();
  const std::vector<bool> modes = modes_of(network);
  CancelledAfter training(network, 5);
  try {
    train(training.task, linear_data(), {.steps = 1000, .stop = training.source.get_token()});
    FAIL() << "expected an error";
  } catch (const Cancelled& error) {
    EXPECT_STREQ(error.what(), "Training was cancelled.");
  }
  EXPECT_EQ(training.losses, 5);
  EXPECT_EQ(modes_of(network), modes);
  EXPECT_NE(bytes_of(network), bytes_of(stateful_network())) << "the steps before it count";
}

TEST(TrainCancelled, BeginsNothingWhenItWasAskedBefore) {
  const fs::path folder =
      fs::temp_directory_path() / ("knockout_cancelled_" + std::to_string(::getpid()));
  CancelledAfter training(stateful_network(), 1);
  training.source.request_stop();
  EXPECT_THROW(train(training.task, linear_data(),
                     {.checkpoint_folder = folder.string(), .stop = training.source.get_token()}),
               Cancelled);
  EXPECT_EQ(training.losses, 0);
  EXPECT_FALSE(fs::exists(folder));
}

TEST(TrainCancelled, StopsBetweenThePartsOfABatch) {
  CancelledAfter training(linear_network(), 3);
  EXPECT_THROW(
      train(training.task, linear_data(),
            {.batch_rows = 8, .accumulate = 4, .steps = 2, .stop = training.source.get_token()}),
      Cancelled);
  EXPECT_EQ(training.losses, 3);
}

TEST(TrainCancelled, HearsOfItFromAnotherThread) {
  auto network = linear_network();
  std::stop_source source;
  std::atomic<int> losses = 0;
  TrainingTask task = task_of(network);
  task.loss = [&, loss = task.loss](const Batch& batch) {
    ++losses;
    return loss(batch);
  };
  const std::jthread canceller([&] {
    while (losses < 10) std::this_thread::yield();
    source.request_stop();
  });
  EXPECT_THROW(train(task, linear_data(), {.steps = 1000000000, .stop = source.get_token()}),
               Cancelled);
}

TEST(TrainCancelled, GoesOnFromItsLastCheckpointToTheSameBits) {
  const fs::path folder =
      fs::temp_directory_path() / ("knockout_cancelled_" + std::to_string(::getpid()));
  const TensorDataset data = linear_data();
  TrainerOptions options{.batch_rows = 8, .steps = 20};
  auto undisturbed = stateful_network();
  train(task_of(undisturbed), data, options);

  options.checkpoint_folder = folder.string();
  options.checkpoint_every = 3;
  CancelledAfter training(stateful_network(), 11);
  options.stop = training.source.get_token();
  EXPECT_THROW(train(training.task, data, options), Cancelled);
  options.stop = {};
  auto resumed = stateful_network();
  EXPECT_EQ(train(task_of(resumed), data, options).resumed_at, 9);
  EXPECT_EQ(bytes_of(resumed), bytes_of(undisturbed));
  fs::remove_all(folder);
}

TEST(TrainFailed, LeavesEveryPartInTheModeItHad) {
  for (const bool while_validating : {false, true}) {
    auto network = network_in_two_modes();
    const std::vector<bool> modes = modes_of(network);
    TrainingTask task = task_of(network);
    const auto fail = []() -> double { throw std::runtime_error("power cut"); };
    if (while_validating) {
      task.validate = fail;
    } else {
      task.loss = [&](const Batch&) { return torch::tensor(fail()); };
    }
    EXPECT_THROW(train(task, linear_data(), {.steps = 3}), std::runtime_error);
    EXPECT_EQ(modes_of(network), modes) << while_validating;
  }
}

torch::Tensor state_of_generator() {
  return at::globalContext().defaultGenerator(torch::kCPU).get_state();
}

TEST(TrainAsAGuest, LeavesGeneratorThreadsAndGradientModeAsTheyWere) {
  for (const bool fails : {false, true}) {
    auto network = stateful_network();
    TrainingTask task = task_of(network);
    int losses = 0;
    task.loss = [&, loss = task.loss](const Batch& batch) {
      if (fails && ++losses == 3) throw std::runtime_error("power cut");
      return loss(batch);
    };
    const TensorDataset data = linear_data();
    torch::manual_seed(77);
    torch::randn({3});  // leaves half a pair of normal numbers behind, a part of the state
    const torch::Tensor state = state_of_generator();
    const int threads = at::get_num_threads();
    {
      const torch::NoGradGuard host_wants_no_gradients;
      if (fails) {
        EXPECT_THROW(train(task, data, {.steps = 5}), std::runtime_error);
      } else {
        train(task, data, {.steps = 5});
      }
      EXPECT_FALSE(torch::GradMode::is_enabled());
    }
    EXPECT_TRUE(torch::equal(state_of_generator(), state));
    EXPECT_EQ(at::get_num_threads(), threads);
  }
}

TEST(LentGenerator, TheLastOfSeveralGivesItBackAsTheFirstFoundIt) {
  torch::manual_seed(5);
  const torch::Tensor state = state_of_generator();
  {
    auto first = std::make_unique<LentGenerator>(torch::kCPU);
    first->seed(1);
    const torch::Tensor one = torch::rand({4});
    LentGenerator second(torch::kCPU);
    second.seed(1);
    EXPECT_TRUE(torch::equal(torch::rand({4}), one));
    first.reset();
    EXPECT_FALSE(torch::equal(state_of_generator(), state)) << "the second still needs it";
    torch::manual_seed(1);
    EXPECT_TRUE(torch::equal(torch::rand({4}), one)) << "as LibTorch seeds it";
  }
  EXPECT_TRUE(torch::equal(state_of_generator(), state));
}

TEST(OneThread, LeavesTheNumberOfThreadsAsItWas) {
  const int before = at::get_num_threads();
  {
    const OneThread outer;
    EXPECT_EQ(at::get_num_threads(), 1);
    const OneThread inner;
    EXPECT_EQ(at::get_num_threads(), 1);
  }
  EXPECT_EQ(at::get_num_threads(), before);
}

TEST(OneThread, GivesBackANumberThatTheHostChose) {
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  { const OneThread one_thread; }
  EXPECT_EQ(at::get_num_threads(), 3);
  at::set_num_threads(1);
  { const OneThread one_thread; }
  EXPECT_EQ(at::get_num_threads(), 1);
  at::set_num_threads(before);
}

/// A thread takes its number from the process when it first meets LibTorch.
TEST(OneThread, IsUnknownToThreadsThatMeetLibTorchMeanwhile) {
  const auto threads_of_newcomer = [] {
    int threads = 0;
    std::thread([&] { threads = at::get_num_threads(); }).join();
    return threads;
  };
  const int before = at::get_num_threads();
  at::set_num_threads(3);
  EXPECT_EQ(threads_of_newcomer(), 3);
  {
    const OneThread one_thread;
    EXPECT_EQ(threads_of_newcomer(), 3);
  }
  EXPECT_EQ(threads_of_newcomer(), 3);
  at::set_num_threads(before);
}

}  // namespace
}  // namespace knockout::nn
