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

// Not in the order of their names.
const std::vector<std::string> kLevels = {"never", "hardly", "seldom", "at times",
                                          "often", "mostly", "always"};

/// The mean of the answer at a level: rising, but no straight line.
double truth(std::size_t level) { return level < 3 ? 0.5 * level : 1.5 * level - 3.0; }

/// Few rows, some levels rare, a fifth of the cells empty, noise of the size of a step.
Table survey(std::uint64_t seed, std::uint32_t rows) {
  const Random random(seed, Stream::kSimulation);
  std::vector<std::string> cells;
  std::vector<double> answers;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::size_t level = random.below(7, 0, row, 0);
    cells.push_back(random.uniform(1, row, 0) < 0.2 ? "" : kLevels[level]);
    answers.push_back(truth(level) + random.normal(2, row, 0));
  }
  return Table({words("use", cells), numbers("y", answers)});
}

FitOptions survey_options(bool ordered) {
  FitOptions options;
  options.schema = {.targets = {"y"}, .missing_at_random = {"all"}};
  if (ordered) options.schema.ordered = {{"use", kLevels}};
  options.train.hidden = std::vector{16};
  options.train.networks = 1;
  options.train.steps = 300;
  options.train.seed = 1;
  return options;
}

/// The mean squared distance from the truth, over all levels.
double error_of(const FitResult& fitted) {
  const auto predicted = fitted.model.predict(Table({words("use", kLevels)}))[0].values;
  double squares = 0;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    squares += std::pow(predicted[level] - truth(level), 2.0);
  }
  return squares / static_cast<double>(kLevels.size());
}

TEST(FitOrdered, NeedsFewerRowsThanCategoriesDo) {
  double ordered = 0, categorical = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Table table = survey(seed, 50);
    ordered += error_of(fit(table, survey_options(true)));
    categorical += error_of(fit(table, survey_options(false)));
  }
  EXPECT_LT(ordered, 0.9 * categorical);
}

TEST(FitOrdered, PredictsTheSameFromItsFile) {
  const FitResult fitted = fit(survey(1, 200), survey_options(true));
  const std::string path =
      (std::filesystem::path(testing::TempDir()) / "ordered.safetensors").string();
  fitted.model.save(path);
  const Table asked({words("use", {"never", "", "always", "often"})});
  const auto loaded = load_model(path).predict(asked)[0].values;
  EXPECT_EQ(loaded, fitted.model.predict(asked)[0].values);
  EXPECT_GT(loaded[2], loaded[0] + 3.0) << "always against never";
  EXPECT_GT(loaded[1], loaded[0]) << "a gap is answered between the extremes";
  EXPECT_LT(loaded[1], loaded[2]);
}

}  // namespace
}  // namespace knockout
