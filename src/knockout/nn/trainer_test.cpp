// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/trainer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "knockout/base/error.h"
#include "knockout/nn/batch_loader.h"
#include "knockout/nn/checkpoint.h"
#include "knockout/nn/knockout.h"

namespace knockout::nn {
namespace {

namespace fs = std::filesystem;

/// y = x w + noise, rows that never change.
TensorDataset linear_data(std::int64_t rows = 40) {
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({rows, 3});
  const torch::Tensor y = x.matmul(torch::tensor({1.0F, -2.0F, 0.5F})) + 0.1 * torch::randn({rows});
  return TensorDataset({x}, y);
}

TrainingTask task_of(torch::nn::Sequential network) {
  return {network.ptr(), [network](const Batch& batch) mutable {
            return torch::mse_loss(network->forward(batch.inputs[0]).squeeze(1), batch.labels);
          }};
}

torch::nn::Sequential linear_network() {
  torch::manual_seed(2);
  return torch::nn::Sequential(torch::nn::Linear(3, 1));
}

/// With everything that has a state or draws random numbers.
torch::nn::Sequential stateful_network() {
  torch::manual_seed(2);
  KnockoutModuleOptions options;
  options.modalities = {{.name = "x", .shape = {3}, .separate_features = true}};
  return torch::nn::Sequential(Knockout(options), torch::nn::Linear(3, 8),
                               torch::nn::BatchNorm1d(8), torch::nn::ReLU(),
                               torch::nn::Dropout(0.3), torch::nn::Linear(8, 1));
}

std::string bytes_of(const torch::nn::Sequential& network) {
  Checkpoint checkpoint;
  store_network(*network, checkpoint);
  return checkpoint_to_bytes(checkpoint);
}

class TrainWithFiles : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::temp_directory_path() / ("knockout_trainer_" + std::to_string(::getpid()));
};

TEST(LearningRate, FollowsItsSchedule) {
  TrainerOptions options{.steps = 100, .learning_rate = 0.4};
  options.schedule = ScheduleKind::kConstant;
  EXPECT_EQ(learning_rate_of_step(options, 99), 0.4);
  options.schedule = ScheduleKind::kStep;
  options.step_decays_at = {0.5, 0.75};
  options.step_decay = 0.1;
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 49), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 50), 0.04);
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 75), 0.004);
  options.schedule = ScheduleKind::kCosine;
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 0), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 50), 0.2);
  EXPECT_NEAR(learning_rate_of_step(options, 75), 0.2 * (1 - std::sqrt(0.5)), 1e-12);
}

/// The same training written down by hand with LibTorch's optimiser.
template <typename Optimizer, typename Options>
void expect_as_by_hand(OptimizerKind kind, const Options& by_hand, double clip_norm = 0) {
  const TensorDataset data = linear_data();
  TrainerOptions options{.batch_rows = 8, .steps = 12, .optimizer = kind, .learning_rate = 0.05};
  options.weight_decay = by_hand.weight_decay();
  options.clip_norm = clip_norm;
  options.seed = 3;
  auto trained = linear_network();
  train(task_of(trained), data, options);

  auto expected = linear_network();
  Optimizer optimizer(expected->parameters(), by_hand);
  RowOrder order(data.size(), 8, 3);
  for (int step = 0; step < 12; ++step) {
    for (auto& group : optimizer.param_groups()) {
      group.options().set_lr(0.025 * (1 + std::cos(M_PI * step / 12)));
    }
    const Batch batch =
        data.get(order.rows_of_step(step, {0, 8}), Random(0, Stream::kShuffle), step);
    optimizer.zero_grad();
    task_of(expected).loss(batch).backward();
    if (clip_norm > 0) {
      double squares = 0;
      for (const auto& p : expected->parameters())
        squares += p.grad().square().sum().item<double>();
      const double norm = std::sqrt(squares);
      ASSERT_GT(norm, clip_norm) << "clipping would do nothing";
      for (auto& p : expected->parameters()) p.mutable_grad() *= clip_norm / norm;
    }
    optimizer.step();
  }
  for (std::size_t i = 0; i < trained->parameters().size(); ++i) {
    EXPECT_TRUE(torch::allclose(trained->parameters()[i], expected->parameters()[i], 1e-5, 1e-6))
        << trained->parameters()[i] << expected->parameters()[i];
  }
}

TEST(Train, TakesTheStepsOfLibTorchsOptimizers) {
  expect_as_by_hand<torch::optim::Adam>(OptimizerKind::kAdam,
                                        torch::optim::AdamOptions(0.05).weight_decay(0.1));
  expect_as_by_hand<torch::optim::AdamW>(OptimizerKind::kAdamW,
                                         torch::optim::AdamWOptions(0.05).weight_decay(0.2));
  expect_as_by_hand<torch::optim::SGD>(
      OptimizerKind::kSgdNesterov,
      torch::optim::SGDOptions(0.05).momentum(0.9).nesterov(true).weight_decay(0.01));
}

TEST(Train, ShortensGradientsToTheClipNorm) {
  expect_as_by_hand<torch::optim::SGD>(OptimizerKind::kSgdNesterov,
                                       torch::optim::SGDOptions(0.05).momentum(0.9).nesterov(true),
                                       0.01);
}

TEST(Train, LearnsALinearModel) {
  auto network = linear_network();
  const TrainerReport report =
      train(task_of(network), linear_data(400), {.steps = 400, .learning_rate = 0.05});
  EXPECT_TRUE(
      torch::allclose(network->parameters()[0], torch::tensor({{1.0F, -2.0F, 0.5F}}), 0, 0.03));
  EXPECT_EQ(report.steps, 400);
  EXPECT_LT(report.training_loss, 0.05);
  EXPECT_TRUE(std::isnan(report.best_score));
  EXPECT_GT(report.seconds, 0);
}

TEST(Train, GivesTheSameBitsWithTheSameSeedAndOthersWithAnother) {
  const TensorDataset data = linear_data();
  const auto trained = [&](std::uint64_t seed, int threads) {
    auto network = stateful_network();
    train(task_of(network), data,
          {.batch_rows = 8, .steps = 15, .seed = seed, .loader_threads = threads});
    return bytes_of(network);
  };
  EXPECT_EQ(trained(1, 0), trained(1, 3));
  EXPECT_NE(trained(1, 0), trained(2, 0));
}

TEST(Train, LeavesFrozenAndUnusedParametersAlone) {
  auto network = linear_network();
  network->push_back("frozen", torch::nn::Linear(1, 1));
  network->push_back("unused", torch::nn::Linear(1, 1));
  for (torch::Tensor& parameter : network[1]->parameters()) parameter.set_requires_grad(false);
  const auto before = [&] {
    std::vector<torch::Tensor> result;
    for (const auto& p : network->parameters()) result.push_back(p.detach().clone());
    return result;
  }();
  auto first = network[0]->as<torch::nn::Linear>();
  auto frozen = network[1]->as<torch::nn::Linear>();
  train({network.ptr(),
         [&](const Batch& batch) {
           return frozen->forward(first->forward(batch.inputs[0])).square().mean();
         }},
        linear_data(), {.steps = 5, .optimizer = OptimizerKind::kAdamW, .weight_decay = 0.5});
  const auto after = network->parameters();
  EXPECT_FALSE(torch::equal(after[0], before[0]));
  for (std::size_t i = 2; i < after.size(); ++i) EXPECT_TRUE(torch::equal(after[i], before[i]));
}

/// Two linear layers side by side whose gradients do not depend on each other.
struct TwoHeads {
  torch::nn::Linear first{nullptr}, second{nullptr};
  std::shared_ptr<torch::nn::Module> network = std::make_shared<torch::nn::Module>();
  TrainingTask task;

  TwoHeads() {
    torch::manual_seed(2);
    first = network->register_module("first", torch::nn::Linear(3, 1));
    second = network->register_module("second", torch::nn::Linear(3, 1));
    task.network = network;
    task.loss = [first = first, second = second](const Batch& batch) mutable {
      return torch::mse_loss(first->forward(batch.inputs[0]).squeeze(1), batch.labels) +
             torch::mse_loss(second->forward(batch.inputs[0]).squeeze(1), batch.labels);
    };
  }
};

TEST(Train, TrainsParametersByTheirOwnRules) {
  const TensorDataset data = linear_data();
  const TrainerOptions options{.batch_rows = 40,
                               .steps = 3,
                               .optimizer = OptimizerKind::kSgdNesterov,
                               .learning_rate = 0.01,
                               .weight_decay = 0.3,
                               .schedule = ScheduleKind::kStep,
                               .step_decays_at = {0.3},
                               .step_decay = 0.5};
  const TwoHeads before;
  TwoHeads frozen;
  frozen.task.rules = {{.prefix = "second.", .learning_rate_factor = 0}};
  train(frozen.task, data, options);
  EXPECT_TRUE(frozen.second->weight.equal(before.second->weight));
  EXPECT_TRUE(frozen.second->bias.equal(before.second->bias));
  EXPECT_FALSE(frozen.first->weight.equal(before.first->weight));

  // Plain gradient descent at twice the rate, without decay or schedule, by hand; the first rule
  // that fits counts.
  TwoHeads ruled;
  ruled.task.rules = {{.prefix = "second.weight",
                       .learning_rate_factor = 2,
                       .follows_schedule = false,
                       .weight_decay = 0.0,
                       .momentum = 0.0},
                      {.prefix = "second", .learning_rate_factor = 0}};
  train(ruled.task, data, options);
  torch::Tensor weight = before.second->weight.detach().clone();
  std::vector<std::size_t> rows(40);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const Batch all = data.get(rows, Random(0, Stream::kShuffle), 0);
  for (int step = 0; step < 3; ++step) {
    const torch::Tensor error =
        torch::matmul(all.inputs[0], weight.t()) + before.second->bias - all.labels.unsqueeze(1);
    weight = (weight - 0.02 * 2 * torch::matmul(error.t(), all.inputs[0]) / 40).detach();
  }
  EXPECT_TRUE(torch::allclose(ruled.second->weight, weight, 1e-5, 1e-6));
  EXPECT_TRUE(ruled.second->bias.equal(before.second->bias));
  EXPECT_TRUE(ruled.first->weight.equal(frozen.first->weight)) << "rules for others changed it";
}

TEST_F(TrainWithFiles, ResumesRulesToTheSameBitsAndRefusesOthers) {
  const TensorDataset data = linear_data();
  const std::vector<ParameterRule> rules = {
      {.prefix = "first.bias", .follows_schedule = false, .weight_decay = 0.0, .momentum = 0.0},
      {.prefix = "first", .learning_rate_factor = 3, .momentum = 0.5}};
  TrainerOptions options{.batch_rows = 8, .steps = 12, .optimizer = OptimizerKind::kSgdNesterov};
  const auto trained = [&](int stop_at) {
    TwoHeads heads;
    heads.task.rules = rules;
    int steps = 0;
    heads.task.loss = [&, loss = heads.task.loss](const Batch& batch) {
      if (++steps > stop_at) throw std::runtime_error("power cut");
      return loss(batch);
    };
    train(heads.task, data, options);
    Checkpoint checkpoint;
    store_network(*heads.network, checkpoint);
    return checkpoint_to_bytes(checkpoint);
  };
  const std::string undisturbed = trained(100);
  options.checkpoint_folder = folder_.string();
  options.checkpoint_every = 5;
  EXPECT_THROW(trained(7), std::runtime_error);
  TwoHeads others;
  others.task.rules = {rules[0]};
  EXPECT_THROW(train(others.task, data, options), ConfigError);
  EXPECT_EQ(trained(100), undisturbed);
}

TEST(Train, RefusesRulesThatMakeNoSense) {
  const auto refused = [](const ParameterRule& rule) {
    TwoHeads heads;
    heads.task.rules = {rule};
    EXPECT_THROW(train(heads.task, linear_data(), {.steps = 1}), ConfigError) << rule.prefix;
  };
  refused({.prefix = "third"});
  refused({.prefix = "first", .learning_rate_factor = -1});
  refused({.prefix = "first", .weight_decay = -1.0});
  refused({.prefix = "first", .momentum = 1.0});
}

TEST_F(TrainWithFiles, ReturnsTheBestWeightsByValidation) {
  auto network = linear_network();
  TrainingTask task = task_of(network);
  int calls = 0;
  std::string best;
  task.validate = [&] {
    EXPECT_FALSE(network->is_training());
    EXPECT_FALSE(torch::GradMode::is_enabled());
    if (++calls == 2) best = bytes_of(network);
    return calls == 2 ? 5.0 : 1.0;
  };
  const TrainerReport report =
      train(task, linear_data(),
            {.steps = 50, .validate_every = 10, .checkpoint_folder = folder_.string()});
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(report.best_step, 20);
  EXPECT_EQ(report.best_score, 5.0);
  EXPECT_EQ(bytes_of(network), best);
  auto loaded = linear_network();
  load_network((folder_ / "best.safetensors").string(), *loaded);
  EXPECT_EQ(bytes_of(loaded), best);
  load_network((folder_ / "last.safetensors").string(), *loaded);
  EXPECT_NE(bytes_of(loaded), best);

  // Started again, there is nothing left to do, and the result is the same.
  auto again = linear_network();
  task = task_of(again);
  task.validate = []() -> double { throw std::logic_error("nothing is left to validate"); };
  const TrainerReport second =
      train(task, linear_data(),
            {.steps = 50, .validate_every = 10, .checkpoint_folder = folder_.string()});
  EXPECT_EQ(second.resumed_at, 50);
  EXPECT_EQ(second.best_score, 5.0);
  EXPECT_EQ(bytes_of(again), best);
}

TEST_F(TrainWithFiles, ResumesToTheSameBitsAfterAnErrorAtAnyStep) {
  const TensorDataset data = linear_data();
  for (const OptimizerKind kind :
       {OptimizerKind::kAdam, OptimizerKind::kAdamW, OptimizerKind::kSgdNesterov}) {
    TrainerOptions options{.batch_rows = 8, .steps = 20, .optimizer = kind};
    auto undisturbed = stateful_network();
    train(task_of(undisturbed), data, options);

    options.checkpoint_folder = folder_.string();
    options.checkpoint_every = 3;
    std::int64_t resumed_at = 0;
    for (const int stop_at : {2, 8, 9, 100}) {
      auto network = stateful_network();
      TrainingTask task = task_of(network);
      int steps = 0;
      task.loss = [&, loss = task.loss](const Batch& batch) {
        if (++steps > stop_at) throw std::runtime_error("power cut");
        return loss(batch);
      };
      if (stop_at < 100) {
        EXPECT_THROW(train(task, data, options), std::runtime_error);
      } else {
        resumed_at = train(task, data, options).resumed_at;
        EXPECT_EQ(bytes_of(network), bytes_of(undisturbed));
      }
    }
    EXPECT_EQ(resumed_at, 15);  // stopped at 2, 8 and 6 + 9, resumed at 0, 6 and 15
    fs::remove_all(folder_);
  }
}

TEST_F(TrainWithFiles, RefusesTheCheckpointOfAnotherRunByWhatDiffers) {
  auto network = linear_network();
  TrainerOptions options{.steps = 3, .checkpoint_folder = folder_.string()};
  train(task_of(network), linear_data(), options);
  options.learning_rate = 0.25;
  try {
    train(task_of(network), linear_data(), options);
    FAIL() << "expected an error";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("last.safetensors"), std::string::npos) << message;
    EXPECT_NE(message.find("learning_rate is 0.001, now it is 0.25"), std::string::npos) << message;
  }
  options.learning_rate = 1e-3;
  EXPECT_THROW(train(task_of(stateful_network()), linear_data(), options), ConfigError);
}

TEST_F(TrainWithFiles, RefusesADamagedCheckpointByItsPath) {
  auto network = linear_network();
  const TrainerOptions options{.steps = 3, .checkpoint_folder = folder_.string()};
  train(task_of(network), linear_data(), options);
  const fs::path path = folder_ / "last.safetensors";
  fs::resize_file(path, fs::file_size(path) - 5);
  try {
    train(task_of(network), linear_data(), options);
    FAIL() << "expected an error";
  } catch (const ModelFileError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with(path.string())) << error.what();
  }
}

TEST(Train, StopsAtALossThatIsNotFiniteAndNamesTheStep) {
  auto network = linear_network();
  TrainingTask task = task_of(network);
  int steps = 0;
  task.loss = [&, loss = task.loss](const Batch& batch) {
    return steps++ == 4 ? loss(batch) * std::numeric_limits<double>::infinity() : loss(batch);
  };
  try {
    train(task, linear_data(), {.steps = 9});
    FAIL() << "expected an error";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("step 4 is inf"), std::string::npos) << error.what();
  }
}

TEST(Train, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](const TrainerOptions& options) {
    EXPECT_THROW(train(task_of(linear_network()), linear_data(), options), ConfigError);
  };
  refused({.batch_rows = 0});
  refused({.steps = 0});
  refused({.learning_rate = -1});
  refused({.checkpoint_every = 0});
  refused({.optimizer = OptimizerKind::kSgdNesterov, .momentum = 0});
}

TEST(Train, ReportsProgressUpToTheLastStep) {
  auto network = linear_network();
  std::vector<TrainerProgress> reports;
  train(task_of(network), linear_data(), {.steps = 30}, nullptr,
        [&](const TrainerProgress& progress) { reports.push_back(progress); });
  ASSERT_FALSE(reports.empty());
  EXPECT_EQ(reports.back().step, 30);
  EXPECT_EQ(reports.back().steps, 30);
  EXPECT_EQ(reports.back().seconds_left, 0);
  EXPECT_GT(reports.back().training_loss, 0);
  EXPECT_TRUE(std::isnan(reports.back().validation_score));
}

}  // namespace
}  // namespace knockout::nn
