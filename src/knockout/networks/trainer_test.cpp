// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/trainer.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/error.h"
#include "knockout/networks/network_pass.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

/// Two inputs with correlation 0.6 and y = 2 a - b + noise: every conditional mean is a formula.
struct GaussianProblem {
  Table table;
  Encoder encoder;
  Examples examples;
  KnockoutPlan plan;

  explicit GaussianProblem(int rows) {
    const Random random(4, Stream::kSimulation);
    std::vector<double> a, b;
    for (int r = 0; r < rows; ++r) {
      a.push_back(random.normal(0, r, 0));
      b.push_back(0.6 * a.back() + 0.8 * random.normal(0, r, 1));
      examples.labels.push_back(
          static_cast<float>(2 * a.back() - b.back() + 0.1 * random.normal(0, r, 2)));
      examples.weights.push_back(1.0f);
    }
    table = Table({test::numbers("a", a), test::numbers("b", b)});
    Schema schema;
    schema.features = {{.name = "a"}, {.name = "b"}};
    encoder = Encoder::fit(table, schema, {.inline_placeholders = true});
    examples.inputs = encoder.encode(table);
    examples.heads = {{.loss = Loss::kSquaredError}};
    plan = make_plan({"a", "b"}, {false, false}, {.rate = 0.4});
  }
};

TrainOptions small_options() {
  return {.hidden = {{32, 32}},
          .networks = 2,
          .batch_rows = 256,
          .steps = 600,
          .seed = 1,
          .threads = 2};
}

double predict(const TrainedNetworks& trained, float a, float b) {
  double sum = 0;
  for (const Network& network : trained.networks) {
    NetworkPass pass(network.layers(), 1, NetworkPass::Use::kPredict);
    pass.input_row(0)[0] = a;
    pass.input_row(0)[1] = b;
    pass.forward(network, {0, 1});
    sum += pass.outputs(0)[0] / static_cast<double>(trained.networks.size());
  }
  return sum;
}

TEST(Train, LearnsEveryMarginalOfAGaussian) {
  const GaussianProblem problem(4000);
  const TrainedNetworks trained =
      train(problem.examples, problem.encoder, problem.plan, small_options());
  constexpr float kMissing = 10.0f;
  for (const float x : {-1.0f, 0.0f, 1.5f}) {
    // E[y | a] = 2a - 0.6a, E[y | b] = (2 * 0.6 - 1) b, E[y] = 0: closed forms for unit variances.
    EXPECT_NEAR(predict(trained, x, 0.5f), 2 * x - 0.5, 0.15) << "nothing missing, a = " << x;
    EXPECT_NEAR(predict(trained, x, kMissing), 1.4 * x, 0.2) << "b missing, a = " << x;
    EXPECT_NEAR(predict(trained, kMissing, x), 0.2 * x, 0.2) << "a missing, b = " << x;
  }
  EXPECT_NEAR(predict(trained, kMissing, kMissing), 0.0, 0.15) << "all missing";
}

TEST(Train, GivesTheSameWeightsForAnyNumberOfThreads) {
  const GaussianProblem problem(700);
  TrainOptions options = small_options();
  options.batch_rows = 600;  // three shards, the last one short
  options.hidden = {70, 40};
  options.networks = 3;
  options.steps = 40;
  options.dropout = 0.1;
  options.threads = 1;
  const TrainedNetworks one = train(problem.examples, problem.encoder, problem.plan, options);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    const TrainedNetworks several = train(problem.examples, problem.encoder, problem.plan, options);
    for (int member = 0; member < 3; ++member) {
      EXPECT_EQ(one.networks[member].parameters(), several.networks[member].parameters())
          << threads << " threads, network " << member;
    }
  }
}

TEST(Train, GivesDifferentNetworksForDifferentSeedsAndMembers) {
  const GaussianProblem problem(300);
  TrainOptions options = small_options();
  options.steps = 20;
  const TrainedNetworks first = train(problem.examples, problem.encoder, problem.plan, options);
  options.seed = 2;
  const TrainedNetworks second = train(problem.examples, problem.encoder, problem.plan, options);
  EXPECT_NE(first.networks[0].parameters(), first.networks[1].parameters());
  EXPECT_NE(first.networks[0].parameters(), second.networks[0].parameters());
}

TEST(Train, IgnoresRowsWithoutALabel) {
  GaussianProblem problem(2000);
  for (std::size_t r = 0; r < 2000; r += 2) {
    problem.examples.labels[r] = 1e6f;  // would ruin everything if it counted
    problem.examples.weights[r] = 0.0f;
  }
  const TrainedNetworks trained =
      train(problem.examples, problem.encoder, problem.plan, small_options());
  EXPECT_NEAR(predict(trained, 1.0f, 0.5f), 1.5, 0.25);
}

TEST(Train, RefusesRowsThatAllLackALabel) {
  GaussianProblem problem(50);
  problem.examples.weights.assign(50, 0.0f);
  EXPECT_THROW(train(problem.examples, problem.encoder, problem.plan, small_options()), DataError);
}

TEST(Train, LearnsWithEveryOptimizerAndSchedule) {
  const GaussianProblem problem(2000);
  for (const Optimizer optimizer : {Optimizer::kAdam, Optimizer::kSgd}) {
    for (const Schedule schedule : {Schedule::kConstant, Schedule::kStep, Schedule::kCosine}) {
      TrainOptions options = small_options();
      options.optimizer = optimizer;
      options.schedule = schedule;
      const TrainedNetworks trained =
          train(problem.examples, problem.encoder, problem.plan, options);
      EXPECT_NEAR(predict(trained, 1.0f, 0.5f), 1.5, 0.35)
          << static_cast<int>(optimizer) << " " << static_cast<int>(schedule);
    }
  }
}

TEST(Train, StopsEarlyWhenValidationNoLongerImproves) {
  const Random random(9, Stream::kSimulation);
  GaussianProblem problem(60);
  for (float& label : problem.examples.labels)
    label = static_cast<float>(random.normal(3, &label - problem.examples.labels.data(), 0));
  TrainOptions options = small_options();
  options.steps = 5000;
  options.patience = 5;
  options.validation_share = 0.2;
  const TrainedNetworks trained = train(problem.examples, problem.encoder, problem.plan, options);
  for (const NetworkReport& report : trained.reports) {
    EXPECT_LT(report.steps, 5000u);  // labels are noise: there is nothing to learn
    EXPECT_LT(report.best_step, report.steps);
  }
}

TEST(Train, HeedsTheTimeLimit) {
  const GaussianProblem problem(2000);
  TrainOptions options = small_options();
  options.networks = 4;
  options.steps = 100'000'000;
  options.patience = 1000;
  options.time_limit_seconds = 0.5;
  const TrainedNetworks trained = train(problem.examples, problem.encoder, problem.plan, options);
  ASSERT_EQ(trained.networks.size(), 4u);
  for (const NetworkReport& report : trained.reports) {
    EXPECT_TRUE(report.out_of_time);
    EXPECT_GT(report.steps, 0u);
  }
}

TEST(Train, GivesEveryNetworkAtMostAFewStepsWhenTheTimeIsUp) {
  const GaussianProblem problem(300);
  TrainOptions options = small_options();
  options.networks = 6;
  options.steps = 100'000;
  options.patience = 1000;
  options.threads = 1;
  options.time_limit_seconds = 1e-6;  // over before the second network starts
  for (const NetworkReport& report :
       train(problem.examples, problem.encoder, problem.plan, options).reports) {
    EXPECT_TRUE(report.out_of_time);
    EXPECT_LT(report.steps, 100u);
  }
}

TEST(Train, TakesAnEndlessTimeLimitForNone) {
  const GaussianProblem problem(300);
  TrainOptions options = small_options();
  options.steps = 60;
  options.time_limit_seconds = 1e300;
  for (const NetworkReport& report :
       train(problem.examples, problem.encoder, problem.plan, options).reports) {
    EXPECT_EQ(report.steps, 60u);
  }
}

TEST(Train, TellsAboutDivergenceInsteadOfReturningNonsense) {
  const GaussianProblem problem(300);
  TrainOptions options = small_options();
  options.optimizer = Optimizer::kSgd;
  options.learning_rate = 1e6;
  EXPECT_THROW(train(problem.examples, problem.encoder, problem.plan, options), DataError);
}

TEST(Train, RefusesAModelWhoseWeightsRanAway) {
  const GaussianProblem problem(300);
  TrainOptions options = small_options();
  options.learning_rate = 1e30;
  EXPECT_THROW(train(problem.examples, problem.encoder, problem.plan, options), DataError);
}

TEST(Train, RefusesOptionsThatMakeNoSense) {
  EXPECT_THROW(resolve({.hidden = {{0}}}, 100), ConfigError);
  EXPECT_THROW(resolve({.steps = -1}, 100), ConfigError);
  EXPECT_THROW(resolve({.learning_rate = NAN}, 100), ConfigError);
  EXPECT_THROW(resolve({.dropout = 1}, 100), ConfigError);
  EXPECT_EQ(resolve({.batch_rows = 100'000'000}, 5).batch_rows, 4096);
}

TEST(Train, ReportsProgressUpToTheEnd) {
  const GaussianProblem problem(300);
  double last_share = 0;
  int calls = 0;
  train(problem.examples, problem.encoder, problem.plan, small_options(),
        [&](const TrainProgress& progress) {
          EXPECT_GE(progress.share_done, last_share);
          last_share = progress.share_done;
          ++calls;
        });
  EXPECT_GT(calls, 10);
  EXPECT_DOUBLE_EQ(last_share, 1.0);
}

}  // namespace
}  // namespace knockout
