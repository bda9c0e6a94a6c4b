// SPDX-License-Identifier: Apache-2.0
// Linear regression and chained equations, whose answers for Gaussian tables have a closed form.
#include "knockout/impute/linear_imputer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "knockout/impute/imputer.h"
#include "knockout/impute/test_tables.h"

namespace knockout {
namespace {

using namespace knockout::test;

class LinearMethod : public testing::TestWithParam<ImputerKind> {};

// With u = (x0 - 10) / 2, v = x1 + 3 and w = x2 / 5 of gaussian_columns:
//   E[w | u, v] = u - v                       E[v | u] = 0.8 u, so E[w | u] = 0.2 u
//   E[u | v] = 0.8 v                          E[w | v] = -0.2 v
//   Cov(u, w) = 0.2, Var(w) = 0.65            E[u | w] = 0.2 / 0.65 w
TEST_P(LinearMethod, ApproachesTheConditionalExpectationOfAGaussian) {
  const Columns train = with_gaps(gaussian_columns(20000, 1), 0.2, 2);
  const auto imputer = fit_imputer(GetParam(), table_of(train), schema_of(train));
  const double u = 1.5, v = -0.7, w = 1.1;
  const Table filled = imputer->apply(table_of({{10 + 2 * u, 10 + 2 * u, kGap, kGap, kGap},
                                                {-3 + v, kGap, -3 + v, kGap, kGap},
                                                {kGap, kGap, kGap, 5 * w, kGap}}));
  const auto x0 = filled.at("x0").numbers();
  const auto x1 = filled.at("x1").numbers();
  const auto x2 = filled.at("x2").numbers();
  EXPECT_NEAR(x2[0] / 5, u - v, 0.05);
  EXPECT_NEAR(x1[1] + 3, 0.8 * u, 0.05);
  EXPECT_NEAR(x2[1] / 5, 0.2 * u, 0.05);
  EXPECT_NEAR((x0[2] - 10) / 2, 0.8 * v, 0.05);
  EXPECT_NEAR(x2[2] / 5, -0.2 * v, 0.05);
  EXPECT_NEAR((x0[3] - 10) / 2, 0.2 / 0.65 * w, 0.05);
  EXPECT_NEAR((x0[4] - 10) / 2, 0, 0.05);
  EXPECT_NEAR(x1[4] + 3, 0, 0.05);
  EXPECT_NEAR(x2[4] / 5, 0, 0.05);
}

TEST_P(LinearMethod, FillsAnExactMultipleAlmostExactly) {
  Columns columns = gaussian_columns(500, 3);
  for (std::size_t row = 0; row < 500; ++row) columns[1][row] = 4 - 3 * columns[0][row];
  Columns gappy = columns;
  for (std::size_t row = 0; row < 500; row += 3) gappy[row % 2][row] = kGap;
  const Table table = table_of(gappy);
  const Table filled = fit_imputer(GetParam(), table, schema_of(gappy))->apply(table);
  EXPECT_LT(filling_error(filled, columns, gappy), 0.2);  // x1 has a deviation of 6
}

TEST_P(LinearMethod, ChoosesTheCategoryThatTheOtherInputsPointTo) {
  const Random random(5, Stream::kSimulation);
  std::vector<double> height;
  std::vector<std::string> size, color;
  for (std::uint32_t row = 0; row < 300; ++row) {
    const double x = random.normal(0, row, 0);
    height.push_back(x);
    size.push_back(row % 3 == 0 ? "" : x < 0 ? "small" : "tall");
    color.push_back(row % 2 == 0 ? "red" : "blue");
  }
  Schema schema;
  schema.features = {
      {.name = "height"},
      {.name = "size", .kind = ColumnKind::kCategorical, .categories = {"small", "tall"}},
      {.name = "color", .kind = ColumnKind::kCategorical, .categories = {"blue", "red"}}};
  const auto imputer = fit_imputer(
      GetParam(), Table({numbers("height", height), words("size", size), words("color", color)}),
      schema);
  const Table filled = imputer->apply(
      Table({numbers("height", {-2, 2, kGap, kGap}), words("size", {"", "", "small", "tall"})}));
  EXPECT_EQ(spelled(filled.at("size")),
            (std::vector<std::string>{"small", "tall", "small", "tall"}));
  EXPECT_NEAR(filled.at("height").number(2), -0.8, 0.15);  // the mean of what lies below 0
  EXPECT_NEAR(filled.at("height").number(3), 0.8, 0.15);
}

TEST_P(LinearMethod, StaysWithinTheTrainingRangeWhenRowsAreFew) {
  const Columns train = with_gaps(gaussian_columns(4, 9), 0.3, 10);
  const auto imputer = fit_imputer(GetParam(), table_of(train), schema_of(train));
  const Table filled = imputer->apply(table_of({{1e6}, {kGap}, {kGap}}));
  for (const char* name : {"x1", "x2"}) {
    EXPECT_LT(std::abs(filled.at(name).number(0)), 20) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LinearMethod,
                         testing::Values(ImputerKind::kLinear, ImputerKind::kMice),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

}  // namespace
}  // namespace knockout
