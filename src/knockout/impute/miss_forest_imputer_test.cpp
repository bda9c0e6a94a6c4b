// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/miss_forest_imputer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "knockout/impute/test_tables.h"

namespace knockout {
namespace {

using namespace knockout::test;

/// x1 = x0^2, x2 = |x0|: dependent, without any correlation of x0 with the others.
Columns bent_columns(std::size_t rows, std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  Columns columns(3);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double x = 2 * random.uniform(0, row, 0) - 1;
    columns[0].push_back(x);
    columns[1].push_back(x * x);
    columns[2].push_back(std::abs(x));
  }
  return columns;
}

TEST(MissForestImputer, RecoversABentDependencyThatTheMeanCannot) {
  const Columns train = with_gaps(bent_columns(600, 1), 0.15, 2);
  const Columns truth = bent_columns(200, 3);
  Columns test = truth;
  for (double& x : test[1]) x = kGap;
  const Table table = table_of(test);
  const double forest_error = filling_error(
      fit_imputer(ImputerKind::kMissForest, table_of(train), schema_of(train), {.trees = 40})
          ->apply(table),
      truth, test);
  const double mean_error = filling_error(
      fit_imputer(ImputerKind::kMean, table_of(train), schema_of(train))->apply(table), truth,
      test);
  EXPECT_LT(forest_error, 0.2 * mean_error);
}

TEST(MissForestImputer, LearnsColumnsThatHadNoGapsInTraining) {
  const Columns train = bent_columns(600, 1);
  const Table filled =
      fit_imputer(ImputerKind::kMissForest, table_of(train), schema_of(train), {.trees = 40})
          ->apply(table_of({{-0.9, 0.1}, {kGap, kGap}, {0.9, 0.1}}));
  EXPECT_NEAR(filled.at("x1").number(0), 0.81, 0.06);
  EXPECT_NEAR(filled.at("x1").number(1), 0.01, 0.04);
}

TEST(MissForestImputer, LearnsCategoriesOfTwoAndOfSeveralKinds) {
  const Random random(5, Stream::kSimulation);
  std::vector<double> x;
  std::vector<std::string> band, outer;
  for (std::uint32_t row = 0; row < 500; ++row) {
    x.push_back(4 * random.uniform(0, row, 0));
    band.push_back(std::string(1, static_cast<char>('a' + static_cast<int>(x.back()))));
    outer.push_back(x.back() < 1 || x.back() > 3 ? "yes" : "no");
  }
  Schema schema;
  schema.features = {
      {.name = "x"},
      {.name = "band", .kind = ColumnKind::kCategorical, .categories = {"a", "b", "c", "d"}},
      {.name = "outer", .kind = ColumnKind::kCategorical, .categories = {"no", "yes"}}};
  const auto imputer = fit_imputer(
      ImputerKind::kMissForest,
      Table({numbers("x", x), words("band", band), words("outer", outer)}), schema, {.trees = 40});
  const Column known = numbers("x", {0.5, 1.5, 2.5, 3.5});
  const std::vector<std::string> bands = {"a", "b", "c", "d"}, outers = {"yes", "no", "no", "yes"};
  EXPECT_EQ(spelled(imputer->apply(Table({known, words("outer", outers)})).at("band")), bands);
  EXPECT_EQ(spelled(imputer->apply(Table({known, words("band", bands)})).at("outer")), outers);
}

TEST(MissForestImputer, GivesOtherForestsForAnotherSeed) {
  const Columns train = with_gaps(gaussian_columns(200, 1), 0.2, 2);
  const Table table = table_of(train);
  const auto filled = [&](std::uint64_t seed) {
    const ImputerOptions options{.trees = 10, .seed = seed};
    return spelled(
        fit_imputer(ImputerKind::kMissForest, table, schema_of(train), options)->apply(table));
  };
  EXPECT_EQ(filled(1), filled(1));
  EXPECT_NE(filled(1), filled(2));
}

}  // namespace
}  // namespace knockout
