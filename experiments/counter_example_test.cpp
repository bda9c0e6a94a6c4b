// SPDX-License-Identifier: Apache-2.0
#include "experiments/counter_example.h"

#include <gtest/gtest.h>

namespace knockout::experiments {
namespace {

TEST(PlaceholderInSupport, GivesTheAppendixItsFigure) {
  const PlaceholderInSupport example{
      .kept = 0.5, .outcome = 0.3, .placeholder_given_outcome = 1, .placeholder = 0.3};
  EXPECT_NEAR(example.learned(), 0.6 / 1.3, 1e-15);
}

/// A joint distribution of x (three values), y (two) and the mask, summed cell by cell.
TEST(PlaceholderInSupport, AgreesWithCountingEveryCase) {
  const double joint[3][2] = {{0.10, 0.25}, {0.05, 0.20}, {0.30, 0.10}};
  constexpr int kPlaceholder = 0;  // the value of x that is the placeholder
  for (const double kept : {0.0, 0.25, 0.9, 1.0}) {
    double seen[2] = {0, 0};  // P(X' = x̄, y)
    for (int x = 0; x < 3; ++x) {
      for (int y = 0; y < 2; ++y) {
        seen[y] += (1 - kept) * joint[x][y];
        if (x == kPlaceholder) seen[y] += kept * joint[x][y];
      }
    }
    const double outcome = joint[0][1] + joint[1][1] + joint[2][1];
    const PlaceholderInSupport formula{.kept = kept,
                                       .outcome = outcome,
                                       .placeholder_given_outcome = joint[0][1] / outcome,
                                       .placeholder = joint[0][0] + joint[0][1]};
    EXPECT_NEAR(formula.learned(), seen[1] / (seen[0] + seen[1]), 1e-14) << kept;
  }
}

/// A value that says nothing of y can be a placeholder: the appendix's condition.
TEST(PlaceholderInSupport, IsHarmlessWhereItSaysNothingOfTheOutcome) {
  const PlaceholderInSupport formula{
      .kept = 0.7, .outcome = 0.4, .placeholder_given_outcome = 0.2, .placeholder = 0.2};
  EXPECT_DOUBLE_EQ(formula.learned(), 0.4);
}

/// Networks are trained on a sample of 3,000 rows, whose share of x1 has a deviation of 0.008, and
/// end with some noise of their own.
TEST(CounterExample, NetworksLearnWhatTheFormulaSays) {
  StudyOptions options;
  options.quick = true;
  const StudyResult result = reproduce_counter_example(options);
  EXPECT_NEAR(result.data["appendix"]["learned"].get<double>(), 0.6 / 1.3, 1e-12);
  ASSERT_EQ(result.data["results"].size(), 20U);  // places, rates, at a gap and at x1
  for (const auto& row : result.data["results"]) {
    EXPECT_NEAR(row["mean"].get<double>(), row["formula"].get<double>(), 0.05) << row;
  }
}

}  // namespace
}  // namespace knockout::experiments
