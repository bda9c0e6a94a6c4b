// SPDX-License-Identifier: Apache-2.0
// One slip of the keyboard must not cost a column.
#include <gtest/gtest.h>

#include "knockout/base/random.h"
#include "knockout/fit/fit.h"

namespace knockout {
namespace {

/// y = 2a - b, both standard normal.
Table plane(std::uint64_t seed, std::uint32_t rows) {
  const Random random(seed, Stream::kSimulation);
  std::vector<double> a, b, y;
  for (std::uint32_t row = 0; row < rows; ++row) {
    a.push_back(random.normal(0, row, 0));
    b.push_back(random.normal(0, row, 1));
    y.push_back(2 * a.back() - b.back());
  }
  return Table({Column::numbers("a", a), Column::numbers("b", b), Column::numbers("y", y)});
}

double r_squared(const Model& model, const Table& table) {
  const std::vector<double> answers = model.predict(table)[0].values;
  double residual = 0, total = 0;  // of a target whose mean is 0
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double truth = table.at("y").number(row);
    residual += (answers[row] - truth) * (answers[row] - truth);
    total += truth * truth;
  }
  return 1 - residual / total;
}

TEST(Outlier, CostsTheOtherRowsNothing) {
  Table table = plane(1, 800);
  table.set_number(400, 0, 1e6);
  FitOptions options;
  options.schema.targets = {"y"};
  options.train.hidden = std::vector{32};
  options.train.networks = 1;
  options.train.steps = 2000;
  options.train.threads = 1;
  EXPECT_GT(r_squared(fit(table, options).model, plane(2, 500)), 0.99);
  options.encode.scaling = Scaling::kZScore;
  EXPECT_LT(r_squared(fit(table, options).model, plane(2, 500)), 0.5) << "what the test is about";
}

TEST(Outlier, OfTheTargetIsTold) {
  const auto notes = [](double label) {
    Table table = plane(1, 300);
    table.set_number(7, 2, label);
    FitOptions options;
    options.schema.targets = {"y"};
    options.train = {.hidden = {{4}}, .networks = 1, .steps = 2, .threads = 1};
    return fit(table, options).report.notes;
  };
  EXPECT_TRUE(notes(5.0).empty());
  ASSERT_EQ(notes(1e6).size(), 1U);
  EXPECT_NE(notes(1e6)[0].find("\"y\" has 1 value far beyond the rest, up to 1e+06"),
            std::string::npos)
      << notes(1e6)[0];
}

}  // namespace
}  // namespace knockout
