// SPDX-License-Identifier: Apache-2.0
// Models of networks, of trees, and of both.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "knockout/base/random.h"
#include "knockout/fit/fit.h"
#include "knockout/fit/load_model.h"

namespace knockout {
namespace {

/// A step that trees find at once and a slope that networks do, two classes, and gaps.
Table steps_and_slopes(std::size_t rows) {
  const Random random(21, Stream::kSimulation);
  std::vector<double> step, slope, y;
  std::vector<std::optional<std::string>> sign;
  for (std::uint32_t r = 0; r < rows; ++r) {
    step.push_back(random.normal(0, r, 0));
    slope.push_back(random.normal(0, r, 1));
    y.push_back((step.back() > 0.3 ? 2.0 : 0.0) + slope.back() + 0.2 * random.normal(0, r, 2));
    sign.push_back(y.back() > 1 ? "high" : "low");
    if (random.uniform(0, r, 3) < 0.1) step.back() = std::nan("");
  }
  return Table({Column::numbers("step", step), Column::numbers("slope", slope),
                Column::numbers("y", y), Column::words("sign", sign)});
}

FitOptions options_with(Learners learners, std::vector<std::string> targets) {
  FitOptions options;
  options.schema.targets = std::move(targets);
  options.learners = learners;
  options.train.hidden = std::vector{16};
  options.train.networks = 2;
  options.train.steps = 400;
  options.trees.rounds = 60;
  return options;
}

double held_out_loss(const FitReport& report) {
  double loss = 0;
  for (const HeldOutLevel& level : report.held_out) loss += level.targets[0].loss;
  return loss;
}

TEST(FitLearners, MakeModelsOfTheParts) {
  const Table table = steps_and_slopes(500);
  const auto kinds = [&](Learners learners) {
    std::vector<std::string> found;
    const FitResult fitted = fit(table, options_with(learners, {"y", "sign"}));
    for (const WeightedLearner& part : fitted.model.learners()) {
      found.emplace_back(part.learner->kind());
    }
    return found;
  };
  EXPECT_EQ(kinds(Learners::kNetworks), (std::vector<std::string>{"networks"}));
  EXPECT_EQ(kinds(Learners::kTrees), (std::vector<std::string>{"trees"}));
  EXPECT_EQ(kinds(Learners::kBoth), (std::vector<std::string>{"networks", "trees"}));
}

TEST(FitLearners, TogetherAreNoWorseThanTheBetterOnRowsHeldOut) {
  const Table table = steps_and_slopes(800);
  const double both = held_out_loss(fit(table, options_with(Learners::kBoth, {"y"})).report);
  const double networks =
      held_out_loss(fit(table, options_with(Learners::kNetworks, {"y"})).report);
  const double trees = held_out_loss(fit(table, options_with(Learners::kTrees, {"y"})).report);
  // Two members each, which hold out the same rows under the same masks.
  EXPECT_LE(both, std::min(networks, trees) * 1.001);
}

TEST(FitLearners, GiveTheSameBytesForAnyNumberOfThreadsAndAfterAFile) {
  const Table table = steps_and_slopes(300);
  FitOptions options = options_with(Learners::kBoth, {"y", "sign"});
  options.train.threads = 1;
  const FitResult expected = fit(table, options);
  const std::string bytes = expected.model.to_bytes();
  for (const int threads : {2, 3, 8}) {
    options.train.threads = threads;
    EXPECT_EQ(fit(table, options).model.to_bytes(), bytes) << threads << " threads";
  }
  const Model read = model_from_bytes(bytes, "model");
  const auto before = expected.model.predict(table), after = read.predict(table);
  for (std::size_t t = 0; t < before.size(); ++t) EXPECT_EQ(after[t].values, before[t].values);
}

TEST(FitLearners, AnswerARowAloneAsAmongOthers) {
  const Table table = steps_and_slopes(200);
  const Model model = fit(table, options_with(Learners::kBoth, {"y"})).model;
  const std::vector<double> all = model.predict(table).front().values;
  const std::size_t some_rows[] = {0, 17, 199};
  for (const std::size_t row : some_rows) {
    EXPECT_EQ(model.predict(table.take_rows({row})).front().values.front(), all[row]);
  }
}

}  // namespace
}  // namespace knockout
