// SPDX-License-Identifier: Apache-2.0
#include "knockout/trees/train_trees.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/mask/plan.h"
#include "knockout/schema/infer.h"

namespace knockout {
namespace {

/// Standard normal a and b with correlation 0.8, and y = a + b + noise.
Table gaussian_table(std::size_t rows) {
  const Random random(11, Stream::kSimulation);
  std::vector<double> a, b, y;
  for (std::uint32_t r = 0; r < rows; ++r) {
    a.push_back(random.normal(0, r, 0));
    b.push_back(0.8 * a.back() + 0.6 * random.normal(0, r, 1));
    y.push_back(a.back() + b.back() + 0.3 * random.normal(0, r, 2));
  }
  return Table({Column::numbers("a", a), Column::numbers("b", b), Column::numbers("y", y)});
}

/// All that a training of trees needs, in one place.
struct Problem {
  explicit Problem(const Table& table, KnockoutOptions knockout = {})
      : encoder(Encoder::fit(table, infer_schema(table, {.targets = {"y"}}).schema)) {
    std::vector<std::string> names;
    std::vector<bool> never_missing;
    for (const KnockoutUnit& unit : encoder.units()) {
      names.push_back(unit.name);
      never_missing.push_back(unit.never_missing);
    }
    plan = make_plan(names, never_missing, knockout);
    targets = code_targets(table, encoder.schema());
    examples.inputs = encoder.encode(table);
    label_examples(table, encoder.schema(), targets, EqualClasses{}, examples);
  }

  BoostedTrees train(const KnockoutTreeOptions& options, int threads = 0) const {
    return train_trees({.examples = examples,
                        .encoder = encoder,
                        .plan = plan,
                        .targets = targets,
                        .hold_out = {.share = 0.2, .seed = 5},
                        .threads = threads},
                       options);
  }

  Encoder encoder;
  KnockoutPlan plan;
  std::vector<TargetCoding> targets;
  Examples examples;
};

double answer_for(const Problem& problem, const Learner& trees, double a, double b) {
  const EncodedRows rows = problem.encoder.encode(
      Table({Column::numbers("a", std::vector{a}), Column::numbers("b", std::vector{b})}));
  double answer = 0;
  double* const answers[] = {&answer};
  trees.answer({1, rows.values.data(), rows.codes.data()}, *trees.make_workspace(1), answers);
  return answer;
}

std::map<std::string, Tensor> tensors_of(const BoostedTrees& trees) {
  std::map<std::string, Tensor> tensors;
  trees.write("learner.0.", tensors);
  return tensors;
}

TEST(TrainTrees, AnswersWithTheMarginalOfWhatIsLeft) {
  const Problem problem(gaussian_table(3000));
  const BoostedTrees trees = problem.train({});
  const double gap = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {-1.0, 0.0, 1.0}) {
    EXPECT_NEAR(answer_for(problem, trees, x, x), 2 * x, 0.3);
    // E[y | a] = a + 0.8 a, and the same for b.
    EXPECT_NEAR(answer_for(problem, trees, x, gap), 1.8 * x, 0.4);
    EXPECT_NEAR(answer_for(problem, trees, gap, x), 1.8 * x, 0.4);
  }
  EXPECT_NEAR(answer_for(problem, trees, gap, gap), 0.0, 0.3);
}

TEST(TrainTrees, KnowsNothingOfGapsThatThePlanNeverShows) {
  // The control of the test above: rows are never knocked out, so the other input is not learned to
  // speak for the missing one.
  const Problem problem(gaussian_table(3000), {.rate = 0.0});
  const BoostedTrees trees = problem.train({});
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const double rise = answer_for(problem, trees, 1.0, gap) - answer_for(problem, trees, -1.0, gap);
  EXPECT_GT(std::abs(rise - 3.6), 0.8);
}

TEST(TrainTrees, GivesTheSameTreesForAnyNumberOfThreads) {
  const Problem problem(gaussian_table(400));
  const auto expected = tensors_of(problem.train({.members = 3, .rounds = 40}, 1));
  for (const int threads : {2, 3, 8}) {
    const auto found = tensors_of(problem.train({.members = 3, .rounds = 40}, threads));
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [name, tensor] : expected) {
      EXPECT_EQ(found.at(name).values, tensor.values) << name << ", " << threads << " threads";
    }
  }
}

TEST(TrainTrees, ReturnsFromAFileAsItWas) {
  const Problem problem(gaussian_table(400));
  const BoostedTrees trees = problem.train({.rounds = 30});
  std::map<std::string, Tensor> tensors;
  nlohmann::json json = trees.write("learner.0.", tensors);
  json["kind"] = "trees";
  const LearnerPointer read =
      BoostedTrees::read({json, tensors, "learner.0.", problem.encoder, problem.targets});
  const double gap = std::numeric_limits<double>::quiet_NaN();
  for (const double x : {-2.0, -0.3, 0.0, 0.7, gap}) {
    EXPECT_EQ(answer_for(problem, *read, x, 0.5), answer_for(problem, trees, x, 0.5));
  }
}

TEST(TrainTrees, RefusesEveryDamagedNumberOfAFile) {
  const Problem problem(gaussian_table(200));
  const BoostedTrees trees = problem.train({.members = 1, .rounds = 2, .depth = 2});
  std::map<std::string, Tensor> sound;
  nlohmann::json json = trees.write("learner.0.", sound);
  json["kind"] = "trees";
  const auto read = [&](const std::map<std::string, Tensor>& tensors) {
    return BoostedTrees::read({json, tensors, "learner.0.", problem.encoder, problem.targets});
  };
  ASSERT_NO_THROW(read(sound));
  const std::string nodes = "learner.0.member.0.target.0.nodes";
  const std::size_t split = [&] {
    std::size_t row = 0;
    while (sound.at(nodes).values[4 * row + 1] == 0.0F) ++row;
    return 4 * row;
  }();
  struct Damage {
    std::size_t at;
    float value;
  };
  for (const auto& [at, value] :
       {Damage{1, 0.5F}, Damage{1, -1.0F}, Damage{1, 1e9F}, Damage{2, 99.0F}, Damage{2, -3.0F},
        Damage{3, 2.0F}, Damage{0, std::numeric_limits<float>::infinity()}}) {
    auto damaged = sound;
    damaged.at(nodes).values[split + at] = value;
    EXPECT_THROW(read(damaged), ModelFileError) << at << " = " << value;
  }
  auto more = sound;
  more["learner.0.spare"] = {{1}, {0.0F}};
  EXPECT_THROW(read(more), ModelFileError);
  auto fewer = sound;
  fewer.erase(nodes);
  EXPECT_THROW(read(fewer), ModelFileError);
}

}  // namespace
}  // namespace knockout
