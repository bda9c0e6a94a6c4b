// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/knn_imputer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "knockout/impute/test_tables.h"

namespace knockout {
namespace {

using namespace knockout::test;

/// The naive twin: every distance by its definition, then a full sort. `spreads` standardise.
double nearest_mean(const Columns& train, const std::vector<double>& row, std::size_t wanted,
                    const std::vector<double>& spreads, std::size_t neighbors) {
  std::vector<std::pair<double, double>> found;  // distance, value
  for (std::size_t t = 0; t < train[0].size(); ++t) {
    double squares = 0, shared = 0;
    for (std::size_t c = 0; c < train.size(); ++c) {
      if (std::isnan(row[c]) || std::isnan(train[c][t])) continue;
      squares += std::pow((row[c] - train[c][t]) / spreads[c], 2.0);
      ++shared;
    }
    if (shared == 0 || std::isnan(train[wanted][t])) continue;
    found.emplace_back(squares / shared, train[wanted][t]);
  }
  std::sort(found.begin(), found.end());
  double sum = 0;
  const std::size_t count = std::min(neighbors, found.size());
  for (std::size_t i = 0; i < count; ++i) sum += found[i].second / static_cast<double>(count);
  return sum;
}

std::vector<double> deviations(const Columns& columns) {
  std::vector<double> out;
  for (const std::vector<double>& column : columns) {
    double sum = 0, squares = 0, count = 0;
    for (const double x : column) {
      if (!std::isnan(x)) sum += x, squares += x * x, ++count;
    }
    out.push_back(std::sqrt(squares / count - std::pow(sum / count, 2.0)));
  }
  return out;
}

void compare_with_twin(const Columns& train, const Columns& test) {
  const auto imputer =
      fit_imputer(ImputerKind::kKnn, table_of(train), schema_of(train), {.neighbors = 4});
  const Table filled = imputer->apply(table_of(test));
  const std::vector<double> spreads = deviations(train);
  for (std::size_t row = 0; row < test[0].size(); ++row) {
    std::vector<double> cells;
    for (const std::vector<double>& column : test) cells.push_back(column[row]);
    if (std::all_of(cells.begin(), cells.end(), [](double x) { return std::isnan(x); })) continue;
    for (std::size_t c = 0; c < test.size(); ++c) {
      if (!std::isnan(cells[c])) continue;
      EXPECT_NEAR(filled.at(column_name(c)).number(row), nearest_mean(train, cells, c, spreads, 4),
                  1e-4);
    }
  }
}

TEST(KnnImputer, EqualsItsNaiveTwin) {
  compare_with_twin(with_gaps(gaussian_columns(300, 1), 0.3, 2),
                    with_gaps(gaussian_columns(100, 3), 0.3, 4));
}

TEST(KnnImputer, EqualsItsNaiveTwinWhenTrainingIsComplete) {
  compare_with_twin(gaussian_columns(300, 1), with_gaps(gaussian_columns(100, 3), 0.3, 4));
}

TEST(KnnImputer, SearchesTrainingTablesOfSeveralBlocks) {
  compare_with_twin(gaussian_columns(5000, 1), with_gaps(gaussian_columns(20, 3), 0.3, 4));
}

TEST(KnnImputer, TakesTheMeanWhereNoNeighborSharesAnInput) {
  const Columns train = {{1, 3, kGap, kGap}, {kGap, kGap, 5, 9}};
  const Table filled = fit_imputer(ImputerKind::kKnn, table_of(train), schema_of(train))
                           ->apply(table_of({{1, kGap}, {kGap, kGap}}));
  EXPECT_NEAR(filled.at("x1").number(0), 7, 1e-6);
  EXPECT_NEAR(filled.at("x0").number(1), 2, 1e-6);
  EXPECT_NEAR(filled.at("x1").number(1), 7, 1e-6);
}

TEST(KnnImputer, TakesTheMostFrequentCategoryOfTheNeighbors) {
  Schema schema;
  schema.features = {
      {.name = "x"},
      {.name = "kind", .kind = ColumnKind::kCategorical, .categories = {"a", "b", "c"}}};
  const Table train(
      {numbers("x", {0, 1, 2, 10, 11, 12, 13}), words("kind", {"b", "a", "a", "c", "", "b", "a"})});
  const auto imputer = fit_imputer(ImputerKind::kKnn, train, schema, {.neighbors = 3});
  const Table filled = imputer->apply(Table({numbers("x", {0, 10.4}), words("kind", {"", ""})}));
  // At 0: b, a, a. At 10.4: c, b, a, each once, and c is the nearest.
  EXPECT_EQ(spelled(filled.at("kind")), (std::vector<std::string>{"a", "c"}));
}

TEST(KnnImputer, TakesTheEarlierOfTrainingRowsThatAreEquallyNear) {
  // Every row is there four times, far apart, with another y each time. The first ones count.
  constexpr std::size_t kDifferent = 90;
  Columns train = gaussian_columns(kDifferent, 8);
  train.emplace_back();
  for (std::size_t copy = 0; copy < 4; ++copy) {
    for (std::size_t row = 0; row < kDifferent; ++row) {
      for (std::size_t c = 0; copy > 0 && c < 3; ++c) train[c].push_back(train[c][row]);
      train[3].push_back(static_cast<double>(copy));
    }
  }
  const auto imputer =
      fit_imputer(ImputerKind::kKnn, table_of(train), schema_of(train), {.neighbors = 2});
  Columns test = gaussian_columns(kDifferent, 8);
  test.emplace_back(kDifferent, kGap);
  const Table filled = imputer->apply(table_of(test));
  for (const double y : filled.at("x3").numbers()) EXPECT_NEAR(y, 0.5, 1e-6);
}

TEST(KnnImputer, HoldsRowsOfTheSameCategoryNearer) {
  Schema schema;
  schema.features = {{.name = "x"},
                     {.name = "kind", .kind = ColumnKind::kCategorical, .categories = {"a", "b"}}};
  const Table train({numbers("x", {5, 5, 9, 9}), words("kind", {"a", "a", "b", "b"})});
  const auto imputer = fit_imputer(ImputerKind::kKnn, train, schema, {.neighbors = 2});
  const Table filled = imputer->apply(Table({words("kind", {"b", "a"})}));
  EXPECT_NEAR(filled.at("x").number(0), 9, 1e-5);
  EXPECT_NEAR(filled.at("x").number(1), 5, 1e-5);
}

}  // namespace
}  // namespace knockout
