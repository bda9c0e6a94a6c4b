// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/marginals.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/random.h"
#include "knockout/methods/methods.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::kGap;
using test::numbers;

constexpr double kCorrelation = 0.8;

/// a and b are standard normal with that correlation, y = a + 2 b + 5. In the training rows, every
/// `gap_every`-th a is missing; 0 = none.
Table correlated_pair(std::uint32_t rows, std::uint32_t gap_every = 0) {
  const Random random(5, Stream::kSimulation);
  std::vector<double> a, b, y;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double first = random.normal(0, row, 0);
    const double second = kCorrelation * first +
                          std::sqrt(1 - kCorrelation * kCorrelation) * random.normal(1, row, 0);
    a.push_back(gap_every > 0 && row % gap_every == 0 ? kGap : first);
    b.push_back(second);
    y.push_back(first + 2 * second + 5);
  }
  return Table({numbers("a", a), numbers("b", b), numbers("y", y)});
}

std::unique_ptr<Predictor> fitted_marginals(const Table& training, int steps = 100) {
  MethodOptions options;
  options.fit.train.hidden = std::vector{32};
  options.fit.train.networks = 1;
  options.fit.train.steps = steps;
  return make_method("marginals", options)
      ->fit(training, infer_schema(training, {.targets = {"y"}}), {.seed = 1});
}

/// The four marginals in closed form: of a Gaussian vector, what is missing has a mean that is
/// linear in what is there, and y is linear.
TEST(Marginals, AreThoseOfAGaussianUnderEveryPattern) {
  const auto predictor = fitted_marginals(correlated_pair(4000), 1500);
  const std::vector<double> points = {-1.5, -0.5, 0.5, 1.5};
  const std::vector<double> gaps(points.size(), kGap), reversed(points.rbegin(), points.rend());
  const auto predicted = [&](const std::vector<double>& a, const std::vector<double>& b) {
    return predictor->predict(Table({numbers("a", a), numbers("b", b)}))[0].values;
  };
  const auto both = predicted(points, reversed);
  const auto only_a = predicted(points, gaps), only_b = predicted(gaps, points);
  const auto neither = predicted(gaps, gaps);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double x = points[i];
    EXPECT_NEAR(only_a[i], x + 2 * kCorrelation * x + 5, 0.25) << x;
    EXPECT_NEAR(only_b[i], kCorrelation * x + 2 * x + 5, 0.25) << x;
    EXPECT_NEAR(neither[i], 5, 0.15);
  }
  // Far from where these two are together, hence at the middle points only.
  for (const std::size_t i : {1, 2}) EXPECT_NEAR(both[i], 5 - points[i], 0.25);
}

/// A pattern's network sees nothing of the others: a gap in the training rows is filled with the
/// mean for those who look at that column, and b alone is not touched by it.
TEST(Marginals, OfAColumnWithoutGapsDoNotDependOnTheGapsOfAnother) {
  const Table asked({numbers("a", {kGap, kGap, kGap}), numbers("b", {-1, 0, 1})});
  const auto without = fitted_marginals(correlated_pair(600))->predict(asked)[0].values;
  const auto with = fitted_marginals(correlated_pair(600, 2))->predict(asked)[0].values;
  EXPECT_EQ(with, without);
}

TEST(Marginals, AnswerEachRowOfAMixedTableAsTheyAnswerItAlone) {
  const auto predictor = fitted_marginals(correlated_pair(600));
  const Table mixed({numbers("a", {1, kGap, kGap, -1, 2}), numbers("b", {1, kGap, 1, kGap, kGap})});
  const auto together = predictor->predict(mixed)[0].values;
  ASSERT_EQ(together.size(), mixed.rows());
  for (std::size_t row = 0; row < mixed.rows(); ++row) {
    EXPECT_NEAR(predictor->predict(mixed.take_rows({row}))[0].values[0], together[row], 1e-5);
  }
}

TEST(Marginals, TakeAColumnThatIsNotThereForOneThatIsMissing) {
  const auto predictor = fitted_marginals(correlated_pair(600));
  const Table without({numbers("b", {0.7})}), with({numbers("a", {kGap}), numbers("b", {0.7})});
  EXPECT_EQ(predictor->predict(without)[0].values, predictor->predict(with)[0].values);
}

}  // namespace
}  // namespace knockout
