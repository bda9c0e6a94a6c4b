// SPDX-License-Identifier: Apache-2.0
// Detection limits: "<LOD" says much about the value, an empty cell nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "knockout/base/random.h"
#include "knockout/fit/fit.h"

namespace knockout {
namespace {

constexpr double kLimit = -0.5;

/// X is standard normal and Y = X + noise. X below the limit reads "<LOD", and a fifth of all cells
/// is lost by chance. Z is no help.
Table assay(std::uint32_t rows) {
  const Random random(5, Stream::kSimulation);
  std::vector<double> x, z, y;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double value = random.normal(0, row, 0);
    const bool lost = random.uniform(1, row, 0) < 0.2;
    x.push_back(lost ? NAN : value < kLimit ? -INFINITY : value);
    z.push_back(random.normal(2, row, 0));
    y.push_back(value + 0.3 * random.normal(3, row, 0));
  }
  return Table({Column::numbers("x", x), Column::numbers("z", z), Column::numbers("y", y)});
}

/// E[X | X < limit] of a standard normal X, which is E[Y | X < limit] too.
double mean_below(double limit) {
  const double density = std::exp(-limit * limit / 2) / std::sqrt(2 * std::numbers::pi);
  const double probability = 0.5 * std::erfc(-limit / std::numbers::sqrt2);
  return -density / probability;
}

FitOptions assay_options() {
  FitOptions options;
  options.schema.targets = {"y"};
  options.train.hidden = std::vector{24};
  options.train.networks = 2;
  options.train.steps = 1500;
  options.train.seed = 1;
  options.train.threads = 1;
  return options;
}

TEST(GapKinds, AnswerADetectionLimitWithWhatLiesBelowIt) {
  EXPECT_NEAR(mean_below(kLimit), -1.141, 5e-4) << "tables of the truncated normal distribution";
  for (const bool inline_placeholders : {false, true}) {
    FitOptions options = assay_options();
    options.encode.inline_placeholders = inline_placeholders;
    if (inline_placeholders) options.train.steps = 10000;  // a harder function to learn
    const Model model = fit(assay(6000), options).model;
    const std::vector<double> answers =
        model
            .predict(Table({Column::numbers("x", {-INFINITY, NAN, 1.0, 0.0}),
                            Column::numbers("z", {0, 0, 0, 0})}))[0]
            .values;
    EXPECT_NEAR(answers[0], mean_below(kLimit), 0.05 * std::abs(mean_below(kLimit)));
    EXPECT_NEAR(answers[1], 0.0, 0.06) << "lost by chance: the mean of all";
    EXPECT_NEAR(answers[2], 1.0, 0.08);
    EXPECT_NEAR(answers[3], 0.0, 0.08);
  }
}

TEST(GapKinds, AreToldApartWhateverShareOfKnockedOutCellsLooksLikeTrainingGaps) {
  FitOptions options = assay_options();
  options.knockout.reason_share = 1.0;
  const Model model = fit(assay(6000), options).model;
  const std::vector<double> answers =
      model.predict(Table({Column::numbers("x", {-INFINITY, NAN})}))[0].values;
  EXPECT_NEAR(answers[0], mean_below(kLimit), 0.05 * std::abs(mean_below(kLimit)));
  EXPECT_NEAR(answers[1], 0.0, 0.06);
}

/// As assay(), and the device saturates: X above the upper limit reads ">...".
Table narrow_assay(std::uint32_t rows, double upper) {
  Table table = assay(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const Column& x = table.at("x");
    if (x.observed(row) && x.number(row) > upper) {
      table.set_missing(row, 0, CellState::kAboveLimit);
    }
  }
  return table;
}

TEST(GapKinds, AnswerBothSidesOfARangeWithWhatLiesThere) {
  constexpr double kUpper = 0.8;
  const double below = mean_below(kLimit), above = -mean_below(-kUpper);
  EXPECT_NEAR(above, 1.367, 5e-4) << "tables of the truncated normal distribution";
  for (const bool inline_placeholders : {false, true}) {
    FitOptions options = assay_options();
    options.encode.inline_placeholders = inline_placeholders;
    if (inline_placeholders) options.train.steps = 10000;
    const Model model = fit(narrow_assay(6000, kUpper), options).model;
    const Table cells({Column::numbers("x", {-INFINITY, INFINITY, NAN, 0.5}),
                       Column::numbers("z", {0, 0, 0, 0})});
    const std::vector<double> answers = model.predict(cells)[0].values;
    EXPECT_NEAR(answers[0], below, 0.05 * std::abs(below));
    EXPECT_NEAR(answers[1], above, 0.05 * above);
    EXPECT_NEAR(answers[2], 0.0, 0.06) << "lost by chance: the mean of all";
    EXPECT_NEAR(answers[3], 0.5, 0.08);
  }
}

}  // namespace
}  // namespace knockout
