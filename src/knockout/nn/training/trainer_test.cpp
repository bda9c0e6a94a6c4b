// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/trainer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/nn/test_training.h"
#include "knockout/nn/training/batch_loader.h"

namespace knockout::nn {
namespace {

TEST(LearningRate, FollowsItsSchedule) {
  TrainerOptions options{.steps = 100, .learning_rate = 0.4};
  options.schedule = Schedule::kConstant;
  EXPECT_EQ(learning_rate_of_step(options, 99), 0.4);
  options.schedule = Schedule::kStep;
  options.step_decay = {.at = {0.5, 0.75}, .factor = 0.1};
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 49), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 50), 0.04);
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 75), 0.004);
  options.schedule = Schedule::kCosine;
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 0), 0.4);
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 50), 0.2);
  EXPECT_NEAR(learning_rate_of_step(options, 75), 0.2 * (1 - std::sqrt(0.5)), 1e-12);
}

TEST(LearningRate, RisesLinearlyBeforeItsSchedule) {
  TrainerOptions options{.steps = 100, .learning_rate = 0.42, .warmup_steps = 20};
  for (const Schedule kind : {Schedule::kConstant, Schedule::kStep, Schedule::kCosine}) {
    options.schedule = kind;
    EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 0), 0.02);
    EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 9), 0.2);
    EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 19), 0.4);
    EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 20), 0.42);
  }
  // The schedule has the 80 steps that are left.
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 60), 0.21);
  options.schedule = Schedule::kStep;
  options.step_decay = {.at = {0.5}, .factor = 0.1};
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 59), 0.42);
  EXPECT_DOUBLE_EQ(learning_rate_of_step(options, 60), 0.042);
}

/// The same training written down by hand with LibTorch's optimiser.
template <typename TorchOptimizer, typename Options>
void expect_as_by_hand(Optimizer kind, const Options& by_hand, double clip_norm = 0) {
  const TensorDataset data = linear_data();
  TrainerOptions options{.batch_rows = 8, .steps = 12, .optimizer = kind, .learning_rate = 0.05};
  options.weight_decay = by_hand.weight_decay();
  options.clip_norm = clip_norm;
  options.seed = 3;
  auto trained = linear_network();
  train(task_of(trained), data, options);

  auto expected = linear_network();
  TorchOptimizer optimizer(expected->parameters(), by_hand);
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
  expect_as_by_hand<torch::optim::AdamW>(Optimizer::kAdam,
                                         torch::optim::AdamWOptions(0.05).weight_decay(0.2));
  expect_as_by_hand<torch::optim::SGD>(
      Optimizer::kSgd,
      torch::optim::SGDOptions(0.05).momentum(0.9).nesterov(true).weight_decay(0.01));
}

TEST(Train, ShortensGradientsToTheClipNorm) {
  expect_as_by_hand<torch::optim::SGD>(
      Optimizer::kSgd, torch::optim::SGDOptions(0.05).momentum(0.9).nesterov(true), 0.01);
}

/// Every third row has a label.
TensorDataset mostly_unlabelled_data() {
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({40, 3});
  const torch::Tensor y =
      x.sum(1).masked_fill(torch::arange(40) % 3 != 0, std::numeric_limits<double>::quiet_NaN());
  return TensorDataset({x}, y);
}

/// The mean over the labelled rows, which is NaN where there are none.
TrainingTask labelled_task_of(torch::nn::Sequential network) {
  TrainingTask task{network.ptr(), [network](const Batch& batch) mutable {
                      const torch::Tensor error =
                          network->forward(batch.inputs[0]).squeeze(1) - batch.labels;
                      return error.index({~batch.labels.isnan()}).square().mean();
                    }};
  task.weight = [](const Batch& batch) { return (~batch.labels.isnan()).sum().item<double>(); };
  return task;
}

void expect_close(const torch::nn::Sequential& network, const torch::nn::Sequential& expected) {
  for (std::size_t i = 0; i < network->parameters().size(); ++i) {
    EXPECT_TRUE(torch::allclose(network->parameters()[i], expected->parameters()[i], 1e-5, 1e-6))
        << network->parameters()[i] << expected->parameters()[i];
  }
}

TEST(Train, EndsWithTheSameWeightsWhenBatchesAreWorkedThroughInParts) {
  TrainerOptions options{.batch_rows = 20, .steps = 12, .learning_rate = 0.05, .clip_norm = 0.5};
  for (const bool by_labels : {false, true}) {
    const TensorDataset data = by_labels ? mostly_unlabelled_data() : linear_data();
    const auto trained = [&](std::int64_t parts) {
      auto network = linear_network();
      options.accumulate = parts;
      const double loss =
          train(by_labels ? labelled_task_of(network) : task_of(network), data, options)
              .training_loss;
      return std::pair(network, loss);
    };
    const auto [whole, loss] = trained(1);
    for (const std::int64_t parts : {3, 20}) {  // by labels, most of 20 parts have none
      const auto [in_parts, loss_of_parts] = trained(parts);
      expect_close(in_parts, whole);
      EXPECT_NEAR(loss_of_parts, loss, 1e-5);
    }
  }
}

TEST(Train, LearnsNothingFromBatchesWithoutWeight) {
  torch::manual_seed(1);
  const TensorDataset unlabelled({torch::randn({40, 3})},
                                 torch::full({40}, std::numeric_limits<double>::quiet_NaN()));
  auto network = linear_network();
  const TrainerReport report = train(labelled_task_of(network), unlabelled,
                                     {.batch_rows = 8,
                                      .steps = 3,
                                      .optimizer = Optimizer::kAdam,
                                      .weight_decay = 0.5,
                                      .clip_norm = 1});
  EXPECT_EQ(report.training_loss, 0);
  EXPECT_EQ(bytes_of(network), bytes_of(linear_network()));

  TrainingTask task = labelled_task_of(network);
  for (const double weight : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    task.weight = [&](const Batch&) { return weight; };
    EXPECT_THROW(train(task, unlabelled, {.steps = 1}), ConfigError);
  }
}

TEST(Train, KeepsTheMasksOfKnockoutInParts) {
  const TensorDataset data = linear_data();
  const auto inputs_of_training = [&](std::int64_t parts) {
    auto network = stateful_network();
    TrainingTask task = task_of(network);
    std::vector<torch::Tensor> seen;
    auto knockout = network[0]->as<Knockout>();
    task.loss = [&](const Batch& batch) {
      seen.push_back(knockout->forward(batch.inputs[0]));
      return network[1]->as<torch::nn::Linear>()->forward(seen.back()).square().mean();
    };
    train(task, data, {.batch_rows = 7, .accumulate = parts, .steps = 4});
    EXPECT_EQ(seen.size(), 4 * parts);
    return torch::cat(seen);
  };
  const torch::Tensor whole = inputs_of_training(1);
  EXPECT_GT(whole.eq(10).sum().item<int>(), 0) << "nothing was knocked out";
  EXPECT_TRUE(torch::equal(inputs_of_training(3), whole));
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
        linear_data(), {.steps = 5, .optimizer = Optimizer::kAdam, .weight_decay = 0.5});
  const auto after = network->parameters();
  EXPECT_FALSE(torch::equal(after[0], before[0]));
  for (std::size_t i = 2; i < after.size(); ++i) EXPECT_TRUE(torch::equal(after[i], before[i]));
}

TEST(Train, TrainsParametersByTheirOwnRules) {
  const TensorDataset data = linear_data();
  const TrainerOptions options{.batch_rows = 40,
                               .steps = 3,
                               .optimizer = Optimizer::kSgd,
                               .learning_rate = 0.01,
                               .weight_decay = 0.3,
                               .schedule = Schedule::kStep,
                               .step_decay = {.at = {0.3}, .factor = 0.5}};
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

TEST(Train, RefusesANetworkThatIsNotFiniteInTheEnd) {
  const auto expect_refused = [](const TrainingTask& task, const std::string& name) {
    try {
      train(task, linear_data(), {.steps = 1});
      FAIL() << "expected an error";
    } catch (const DataError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find('"' + name + '"'), std::string::npos) << message;
      EXPECT_NE(message.find("learning_rate"), std::string::npos) << message;
      EXPECT_EQ(message.find("last checkpoint"), std::string::npos) << message;
    }
  };
  auto network = linear_network();
  // The root of 0 is 0, and its gradient is not finite.
  expect_refused(
      {network.ptr(), [&](const Batch&) { return (network->parameters()[0] * 0).sum().sqrt(); }},
      "0.weight");

  network = linear_network();
  torch::Tensor statistics = network->register_buffer("statistics", torch::zeros({2}));
  TrainingTask task = task_of(network);
  task.loss = [&, loss = task.loss](const Batch& batch) {
    statistics.fill_(std::numeric_limits<double>::infinity());
    return loss(batch);
  };
  expect_refused(task, "statistics");
  // A buffer that has always been so is meant to be, a parameter is not.
  EXPECT_EQ(train(task, linear_data(), {.steps = 1}).steps, 1);
  torch::Tensor unused = network->register_parameter("unused", torch::zeros({2}));
  torch::NoGradGuard no_grad;
  unused.fill_(std::numeric_limits<double>::infinity());
  torch::AutoGradMode with_grad(true);
  expect_refused(task, "unused");
}

TEST(Train, RefusesALossThatIsNoScalarByItsShape) {
  auto network = linear_network();
  try {
    train({network.ptr(), [&](const Batch& batch) { return network->forward(batch.inputs[0]); }},
          linear_data(), {.batch_rows = 8});
    FAIL() << "expected an error";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("[8, 1]"), std::string::npos) << error.what();
  }
  EXPECT_THROW(
      train({network.ptr(), [](const Batch&) { return torch::Tensor(); }}, linear_data(), {}),
      ConfigError);
}

TEST(Train, RefusesOptionsThatMakeNoSense) {
  const auto refused = [](const TrainerOptions& options) {
    EXPECT_THROW(train(task_of(linear_network()), linear_data(), options), ConfigError);
  };
  refused({.batch_rows = 0});
  refused({.steps = 0});
  refused({.learning_rate = -1});
  refused({.checkpoint_every = 0});
  refused({.optimizer = Optimizer::kSgd, .momentum = 1});
  refused({.optimizer = Optimizer::kSgd, .momentum = -0.5});
  refused({.accumulate = 0});
  refused({.batch_rows = 4, .accumulate = 5});
  refused({.warmup_steps = -1});
  refused({.steps = 10, .warmup_steps = 10});
  refused({.schedule = Schedule::kStep, .step_decay = {.factor = 0}});
  refused({.schedule = Schedule::kStep, .step_decay = {.at = {0.5, 0.25}}});
  refused({.validate_every = 5, .patience = -1});
  refused({.validate_every = 5, .patience = 1});  // there is no validation
}

TEST(Train, StopsWhenValidationHasNotBecomeBetterForLong) {
  auto network = linear_network();
  TrainingTask task = task_of(network);
  const std::vector<double> scores = {1, 2, 1.5, 2, 3};
  std::size_t calls = 0;
  std::string best;
  task.validate = [&] {
    if (calls == 1) best = bytes_of(network);
    return scores.at(calls++);
  };
  double seconds_left = -1;
  const TrainerReport report =
      train(task, linear_data(), {.steps = 50, .validate_every = 10, .patience = 2}, nullptr,
            [&](const TrainerProgress& progress) { seconds_left = progress.seconds_left; });
  EXPECT_EQ(report.steps, 40);
  EXPECT_EQ(report.best_step, 20);
  EXPECT_EQ(report.best_score, 2);
  EXPECT_EQ(seconds_left, 0);
  EXPECT_EQ(bytes_of(network), best);
  EXPECT_THROW(train(task, linear_data(), {.patience = 2}), ConfigError);  // no validate_every
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
