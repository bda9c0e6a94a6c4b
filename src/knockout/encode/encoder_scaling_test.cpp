// SPDX-License-Identifier: Apache-2.0
// Robust scaling: outliers are far out, but not so far that they hide the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "knockout/encode/encoder.h"
#include "knockout/encode/test_fit.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::contains;
using test::fit;
using test::numbers;
using test::words;

/// 0.5 to 199.5 and a slip of the keyboard: median 100.5, quartiles 50.5 and 150.5.
std::vector<double> with_outlier() {
  std::vector<double> values;
  for (int i = 0; i < 200; ++i) values.push_back(i + 0.5);
  values.push_back(1e6);
  return values;
}

float value_of(const Encoder& encoder, double number) {
  return encoder.encode(Table({numbers("x", {number})})).values[0];
}

TEST(RobustScaling, SpreadsTheDataWhateverAnOutlierDoes) {
  const Encoder encoder = fit(Table({numbers("x", with_outlier())}), {}, {});
  const double spread = 100.0 / 1.349;
  EXPECT_NEAR(value_of(encoder, 100.5), 0.0, 1e-6);
  EXPECT_NEAR(value_of(encoder, 199.5), 99 / spread, 0.01);
  EXPECT_NEAR(value_of(encoder, 0.5), -100 / spread, 0.01);
  const Encoder zscore =
      fit(Table({numbers("x", with_outlier())}), {}, {.scaling = Scaling::kZScore});
  EXPECT_LT(value_of(zscore, 199) - value_of(zscore, 0), 0.01) << "all but the outlier are alike";
}

TEST(NoScaling, TakesNumbersAsTheyAreAndClipsNothing) {
  const Encoder encoder = fit(Table({numbers("x", {-3, 0.5, 4})}), {},
                              {.scaling = Scaling::kNone, .inline_placeholders = true});
  for (const double number : {-3.0, 0.25, 77.0}) {
    EXPECT_EQ(value_of(encoder, number), static_cast<float>(number));
  }
  EXPECT_EQ(encoder.missing_values()[0], 10.0F);
  const Encoder wide = fit(Table({numbers("x", {-3, 0.5, 40})}), {},
                           {.scaling = Scaling::kNone, .inline_placeholders = true});
  EXPECT_GT(wide.missing_values()[0], 40.0F) << "a placeholder stays outside the data";
}

TEST(RobustScaling, BendsTheTailsSmoothlyAndInOrder) {
  const Encoder encoder = fit(Table({numbers("x", with_outlier())}), {}, {});
  const double center = encoder.coding()[0].center, spread = encoder.coding()[0].spread;
  const auto at = [&](double stddevs) { return value_of(encoder, center + stddevs * spread); };
  EXPECT_NEAR(at(2.9), 2.9, 1e-5);
  EXPECT_NEAR(at(3.0), 3.0, 1e-5);
  EXPECT_NEAR((at(3.1) - at(3.0)) / 0.1, 1.0, 0.01) << "no kink";
  EXPECT_NEAR(at(6.0), 3.0 + 3.0 / std::sqrt(2.0), 1e-5);
  EXPECT_NEAR(at(-6.0), -3.0 - 3.0 / std::sqrt(2.0), 1e-5);
  for (double x = -40; x < 40; x += 0.5) EXPECT_LT(at(x), at(x + 0.5)) << x;
  EXPECT_LE(at(1e12), 6.0F);
  EXPECT_GE(value_of(encoder, -1.7e308), -6.0F);
}

TEST(RobustScaling, SaysWhichValuesLieFarBeyondTheRest) {
  const Encoder encoder = fit(Table({numbers("x", with_outlier())}), {}, {});
  ASSERT_EQ(encoder.notes().size(), 1U);
  EXPECT_TRUE(contains(encoder.notes()[0], "Squashed")) << encoder.notes()[0];
  EXPECT_TRUE(contains(encoder.notes()[0], "\"x\" (1 value)")) << encoder.notes()[0];
  std::vector<double> tail;
  for (int i = 0; i < 200; ++i) tail.push_back(std::exp(0.05 * i));
  EXPECT_TRUE(fit(Table({numbers("x", tail)}), {}, {}).notes().empty()) << "a long tail is no slip";
}

TEST(RobustScaling, KeepsHalfLinesAboveZero) {
  const Encoder encoder = fit(Table({numbers("x", with_outlier())}), {.ranges = {{"x", 0}}}, {});
  EXPECT_EQ(encoder.coding()[0].support, Support::kHalfLine);
  EXPECT_EQ(value_of(encoder, 0), 0.0F);
  EXPECT_NEAR(value_of(encoder, 100), 100 / (100.0 / 1.349), 0.02);
  EXPECT_LT(value_of(encoder, 1e6), value_of(encoder, 1e7) + 1e-6F);
  EXPECT_LT(value_of(encoder, 1e9), 8.0F);
}

TEST(RobustScaling, ReachesDates) {
  std::vector<std::string> days;
  for (int day = 1; day <= 28; ++day)
    days.push_back("2020-02-" + std::string(day < 10 ? "0" : "") + std::to_string(day));
  days.push_back("1900-01-01");
  const Encoder encoder = fit(Table({words("x", days)}), {}, {});
  const EncodedRows rows = encoder.encode(Table({words("x", {"2020-02-01", "2020-02-28"})}));
  EXPECT_GT(rows.values[static_cast<std::size_t>(rows.width)] - rows.values[0], 1.0F);
}

TEST(RobustScaling, LeavesThePapersPlaceholdersTheirZScores) {
  const Table table({numbers("x", with_outlier()), numbers("z", with_outlier())});
  const Encoder paper = fit(table, {}, {.inline_placeholders = true});
  const Encoder zscore = fit(table, {}, {.scaling = Scaling::kZScore, .inline_placeholders = true});
  EXPECT_EQ(paper.to_json(), zscore.to_json());
  const Encoder one = fit(table, {}, {.placeholders = {{"x", 20.0}}});
  EXPECT_GT(one.coding()[0].spread, 1e4);
  EXPECT_LT(one.coding()[1].spread, 1e2);
}

TEST(RobustScaling, SurvivesJson) {
  const Table table({numbers("x", with_outlier()), numbers("up", with_outlier())});
  const Encoder encoder = fit(table, {.ranges = {{"up", 0}}}, {});
  const Encoder loaded = Encoder::from_json(nlohmann::json::parse(encoder.to_json().dump()));
  EXPECT_EQ(loaded.encode(table).values, encoder.encode(table).values);
  EXPECT_EQ(loaded.to_json(), encoder.to_json());
}

}  // namespace
}  // namespace knockout
