// SPDX-License-Identifier: Apache-2.0
#include "knockout/fit/placeholder_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/fit/load_model.h"
#include "knockout/schema/understand.h"

namespace knockout {
namespace {

/// a and b standard normal and independent, y = 2a + b: E[y | b] = b, E[y | a] = 2a.
Table two_normals(std::size_t rows) {
  const Random random(5, Stream::kSimulation);
  std::vector<double> a(rows), b(rows), y(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = static_cast<std::uint32_t>(r);
    a[r] = random.normal(0, row, 0);
    b[r] = random.normal(0, row, 1);
    y[r] = 2 * a[r] + b[r];
  }
  return Table({Column::numbers("a", a), Column::numbers("b", b), Column::numbers("y", y)}, "two");
}

FitOptions two_options() {
  FitOptions options;
  options.schema.targets = {"y"};
  options.train.hidden = std::vector{32};
  options.train.networks = 1;
  options.train.steps = 2000;
  options.train.weight_decay = 0;
  options.train.seed = 1;
  return options;
}

/// The closed forms of E[y | what is there].
void expect_marginals(const Model& model) {
  const double gap = std::nan("");
  const Table asked(
      {Column::numbers("a", {1, gap, 1, gap}), Column::numbers("b", {1, 1, gap, gap})}, "asked");
  const std::vector<double> answers = model.predict(asked)[0].values;
  EXPECT_NEAR(answers[0], 3, 0.35);
  EXPECT_NEAR(answers[1], 1, 0.35);
  EXPECT_NEAR(answers[2], 2, 0.35);
  EXPECT_NEAR(answers[3], 0, 0.35);
}

TEST(LearnedPlaceholders, GiveTheMarginalsAndSurviveTheFile) {
  FitOptions options = two_options();
  options.train.learned_placeholders = true;
  const Table table = two_normals(2000);
  const Model model = fit(table, options).model;
  expect_marginals(model);
  const std::string path = testing::TempDir() + "knockout_learned_placeholders.safetensors";
  model.save(path);
  EXPECT_EQ(load_model(path).predict(table)[0].values, model.predict(table)[0].values);
  options.train.learned_placeholders = false;
  EXPECT_NE(fit(table, options).model.predict(table)[0].values, model.predict(table)[0].values);
}

TEST(SearchedPlaceholders, AreTheBestOfThoseTried) {
  FitOptions options = two_options();
  options.search_placeholders = true;
  const Table table = two_normals(2000);
  const UnderstoodTable understood = understand(table, options.schema, 1);
  const PlaceholderSearch search =
      search_placeholders(understood.table, understood.inferred, options);
  ASSERT_GE(search.trials.size(), 4U);
  for (const auto& trial : search.trials) EXPECT_GE(trial.loss, search.trials[search.best].loss);
  const double distance = search.trials[search.best].distance;
  EXPECT_EQ(search.encode.placeholders.at("a"), Placeholder(distance));
  EXPECT_EQ(search.encode.reason_placeholders.at("b"), Placeholder(-distance));

  const FitResult fitted = fit(table, options);
  ASSERT_FALSE(fitted.report.notes.empty());
  EXPECT_EQ(fitted.report.notes.front(), search.text());
  expect_marginals(fitted.model);
}

/// A column from 0 to 1 keeps its gaps outside of that, on either side.
TEST(SearchedPlaceholders, StayOutsideABoundedColumn) {
  FitOptions options = two_options();
  options.schema.ranges = {{"a", -10.0, 10.0}};
  options.train.steps = 40;
  const UnderstoodTable understood = understand(two_normals(200), options.schema, 1);
  const PlaceholderSearch search =
      search_placeholders(understood.table, understood.inferred, options);
  EXPECT_LT(std::get<double>(search.encode.placeholders.at("a")), 0);
  EXPECT_GT(std::get<double>(search.encode.reason_placeholders.at("a")), 1);
}

TEST(Placeholders, AreChosenInOneWay) {
  FitOptions options = two_options();
  options.train.learned_placeholders = true;
  options.search_placeholders = true;
  EXPECT_THROW(fit(two_normals(50), options), ConfigError);
  options.search_placeholders = false;
  options.encode.inline_placeholders = true;
  EXPECT_THROW(fit(two_normals(50), options), ConfigError);
}

}  // namespace
}  // namespace knockout
