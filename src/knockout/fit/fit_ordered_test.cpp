// SPDX-License-Identifier: Apache-2.0
// What an order is worth: a network that knows it needs fewer rows.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "knockout/base/random.h"
#include "knockout/fit/fit.h"
#include "knockout/fit/load_model.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::numbers;
using test::words;

constexpr std::size_t kLevelCount = 12;

/// Names whose alphabet says nothing of the order: "a", "l", "k", ...
std::vector<std::string> level_names() {
  std::vector<std::string> names;
  for (std::size_t level = 0; level < kLevelCount; ++level) {
    names.emplace_back(1, static_cast<char>('a' + level * 11 % kLevelCount));
  }
  return names;
}

/// The mean of the answer at a level.
double truth(std::size_t level) {
  return 6.0 * static_cast<double>(level) / static_cast<double>(kLevelCount - 1);
}

/// Every level occurs once, beyond that mostly the low ones; noise of twice a step.
Table survey(std::uint64_t seed, std::uint32_t rows) {
  const Random random(seed, Stream::kSimulation);
  const std::vector<std::string> names = level_names();
  std::vector<std::string> cells;
  std::vector<double> answers;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double draw = kLevelCount * std::pow(random.uniform(0, row, 0), 3.0);
    const std::size_t level = row < kLevelCount ? row : static_cast<std::size_t>(draw);
    cells.push_back(names[level]);
    answers.push_back(truth(level) + random.normal(2, row, 0));
  }
  return Table({words("use", cells), numbers("y", answers)});
}

FitOptions survey_options(bool ordered) {
  FitOptions options;
  options.schema = {.targets = {"y"}, .missing_at_random = {"all"}};
  if (ordered) options.schema.ordered = {{"use", level_names()}};
  options.train.hidden = std::vector{16};
  options.train.networks = 1;
  options.train.steps = 300;
  options.train.seed = 1;
  options.train.threads = 1;
  return options;
}

/// The mean squared distance from the truth, over all levels.
double error_of(const FitResult& fitted) {
  const auto predicted = fitted.model.predict(Table({words("use", level_names())}))[0].values;
  double squares = 0;
  for (std::size_t level = 0; level < kLevelCount; ++level) {
    squares += std::pow(predicted[level] - truth(level), 2.0);
  }
  return squares / static_cast<double>(kLevelCount);
}

TEST(FitOrdered, KnowsRareLevelsFromTheirNeighboursWhereCategoriesDoNot) {
  double ordered = 0, categorical = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Table table = survey(seed, 40);
    ordered += error_of(fit(table, survey_options(true)));
    categorical += error_of(fit(table, survey_options(false)));
  }
  EXPECT_LT(ordered, 0.6 * categorical);
}

TEST(FitOrdered, PredictsTheSameFromItsFile) {
  const FitResult fitted = fit(survey(1, 200), survey_options(true));
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "ordered.safetensors").string();
  fitted.model.save(path);
  const Table asked({words("use", {level_names().front(), "", level_names().back()})});
  const auto loaded = load_model(path).predict(asked)[0].values;
  EXPECT_EQ(loaded, fitted.model.predict(asked)[0].values);
  EXPECT_GT(loaded[2], loaded[0] + 3.0) << "the highest level against the lowest";
  EXPECT_GT(loaded[1], loaded[0]) << "a gap is answered between the two";
  EXPECT_LT(loaded[1], loaded[2]);
}

}  // namespace
}  // namespace knockout
