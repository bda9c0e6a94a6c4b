// SPDX-License-Identifier: Apache-2.0
// Scaling, layout, errors. Gaps, categories and dates have files of their own.
#include "knockout/encode/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/encode/test_fit.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::contains;
using test::fit;
using test::kGap;
using test::message_of;
using test::numbers;
using test::words;
using Floats = std::vector<float>;

float f(double value) { return static_cast<float>(value); }

// --- scaling ---

TEST(Encoder, ScalesByMeanAndPopulationStandardDeviation) {
  const Table table({numbers("x", {1, 3, kGap, 5, 7})});
  const Encoder encoder = fit(table);
  EXPECT_EQ(encoder.coding()[0].center, 4.0);
  EXPECT_DOUBLE_EQ(encoder.coding()[0].spread, std::sqrt(5.0));
  const double s = std::sqrt(5.0);
  EXPECT_EQ(encoder.encode(table).values, (Floats{f(-3 / s), f(-1 / s), -10, f(1 / s), f(3 / s)}));
}

TEST(Encoder, LearnsNothingFromTheTableItIsAppliedTo) {
  const Encoder encoder = fit(Table({numbers("x", {0, 2})}));  // mean 1, deviation 1
  EXPECT_EQ(encoder.encode(Table({numbers("x", {3, 4, 5})})).values, (Floats{2, 3, 4}));
}

TEST(Encoder, ClipsZScoresAndSaysSo) {
  std::vector<double> values(401, 0.0);
  values[0] = 1.0;  // a Z-score of sqrt(400) = 20
  const Table table({numbers("x", values)});
  const Encoder encoder = fit(table);
  EXPECT_EQ(encoder.encode(table).values[0], 6.0F);
  EXPECT_EQ(encoder.encode(Table({numbers("x", {-1e300})})).values[0], -6.0F);
  ASSERT_EQ(encoder.notes().size(), 1U);
  EXPECT_TRUE(contains(encoder.notes()[0], "\"x\" (1 value)")) << encoder.notes()[0];
  EXPECT_EQ(encoder.missing_values(), Floats{10});
}

TEST(Encoder, MovesPlaceholdersOutOfUnclippedTailsAndSaysSo) {
  std::vector<double> values(401, 0.0);
  values[0] = 1.0;
  values[1] = kGap;
  values.push_back(0.0);
  const Table table({numbers("x", values)});
  const Encoder encoder = fit(table, {}, {.clip_stddevs = {}, .inline_placeholders = true});
  EXPECT_NEAR(encoder.encode(table).values[0], 20.0, 1e-5);
  EXPECT_NEAR(encoder.missing_values()[0], 22.0, 1e-5);  // a tenth beyond 20
  EXPECT_EQ(encoder.encode(table).values[1], -10.0F);
  ASSERT_EQ(encoder.notes().size(), 1U);
  EXPECT_TRUE(contains(encoder.notes()[0], "placeholders moved")) << encoder.notes()[0];
}

TEST(Encoder, KeepsPlaceholdersBeyondAWideClip) {
  const Encoder encoder =
      fit(Table({numbers("x", {0, 2})}), {}, {.clip_stddevs = 12, .inline_placeholders = true});
  EXPECT_GT(encoder.missing_values()[0], 12.5F);
}

TEST(Encoder, ScalesAnIntervalToZeroOne) {
  const Table table({numbers("x", {20, 30, kGap, 60})});
  const Encoder encoder = fit(table, {.ranges = {{"x", 20, 60}}});
  EXPECT_EQ(encoder.coding()[0].support, Support::kInterval);
  EXPECT_EQ(encoder.encode(table).values, (Floats{0, 0.25, 2, 1}));
  EXPECT_EQ(encoder.missing_values(), Floats{-1});
}

TEST(Encoder, ScalesHalfLinesToNonNegativeNumbers) {
  const Table table({numbers("up", {10, 14, kGap}), numbers("down", {10, 6, kGap})});
  const Encoder encoder = fit(table, {.ranges = {{"up", 10}, {"down", {}, 10}}});
  // Distances 0 and 4: deviation 2.
  EXPECT_EQ(encoder.coding()[0].spread, 2.0);
  EXPECT_EQ(encoder.coding()[1].spread, -2.0);
  EXPECT_EQ(encoder.encode(table).values, (Floats{0, 0, 2, 2, -2, -2}));
  EXPECT_EQ(encoder.missing_values(), (Floats{-1, -1}));
  // Clipped at the mean plus six deviations: 2 + 12 = 14, scaled 7.
  EXPECT_EQ(encoder.encode(Table({numbers("up", {1000})})).values[0], 7.0F);
}

TEST(Encoder, KeepsDataFarFromTheirBoundWithinReach) {
  const Table table({numbers("kelvin", {299, 301})});
  EXPECT_EQ(fit(table, {.ranges = {{"kelvin", 0}}}).coding()[0].spread,
            60.0);  // a fifth of the mean
}

TEST(Encoder, GivesASingleObservedValueASpreadOfOne) {
  const Table table({numbers("x", {0.1, kGap, 0.1, 0.1})});
  const Encoder encoder = fit(table);
  EXPECT_EQ(encoder.coding()[0].center, 0.1);
  EXPECT_EQ(encoder.coding()[0].spread, 1.0);
  EXPECT_EQ(encoder.encode(table).values, (Floats{0, -10, 0, 0}));
}

TEST(Encoder, StaysFiniteWithTheLargestAndSmallestNumbers) {
  const std::vector<std::vector<double>> columns = {{1e300, -1e300, 1e308},  {1.7e308, -1.7e308, 0},
                                                    {5e-324, 0, 1e-310},     {1e-200, 2e-200, 0},
                                                    {1e16, 1e16 + 2, 1e300}, {0, 1e-5, kGap}};
  const Table extremes({numbers("x", {1.7e308, -1.7e308, 5e-324, 0, kGap})});
  for (const auto& values : columns) {
    for (const std::optional<double> clip : {std::optional(6.0), std::optional<double>()}) {
      const Table table({numbers("x", values)});
      const Encoder encoder = fit(table, {}, {.clip_stddevs = clip});
      for (const Table* applied : {&table, &extremes}) {
        for (const float value : encoder.encode(*applied).values) EXPECT_TRUE(std::isfinite(value));
      }
      EXPECT_TRUE(std::isfinite(encoder.missing_values()[0]));
    }
  }
  const Encoder half_line = fit(Table({numbers("x", {1e308, 3})}), {.ranges = {{"x", -1e308}}});
  EXPECT_TRUE(std::isfinite(half_line.encode(Table({numbers("x", {1.7e308})})).values[0]));
}

TEST(Encoder, ComputesTheSpreadOfHugeNumbers) {
  const Encoder encoder = fit(Table({numbers("x", {1e300, -1e300})}));
  EXPECT_EQ(encoder.coding()[0].center, 0.0);
  EXPECT_DOUBLE_EQ(encoder.coding()[0].spread, 1e300);
}

// --- errors ---

TEST(Encoder, NamesTheRowOfAWordInAContinuousColumn) {
  const Encoder encoder = fit(Table({numbers("x", {0, 2})}));
  const Table late({words("x", {"1", "", "n/k"})}, "new.csv");
  const std::string message = message_of<DataError>([&] { encoder.encode(late); });
  EXPECT_TRUE(contains(message, "new.csv:4, column \"x\": cannot read \"n/k\"")) << message;
  EXPECT_TRUE(contains(message, "`missing_words = n/k`")) << message;
}

TEST(Encoder, RefusesValuesOutsideTheDeclaredRange) {
  const Encoder encoder = fit(Table({numbers("x", {0, 2})}), {.ranges = {{"x", 0, 5}}});
  EXPECT_NO_THROW(encoder.encode(Table({numbers("x", {0, 5})})));
  const std::string message = message_of<DataError>([&] {
    encoder.encode(Table({numbers("x", {1, 5.5})}, "n.csv"));
  });
  EXPECT_TRUE(contains(message, "n.csv:3, column \"x\": 5.5 lies outside the declared range 0:5"))
      << message;
  EXPECT_THROW(encoder.encode(Table({words("x", {"6"})})), DataError);
}

TEST(Encoder, RefusesGapsInColumnsThatAreNeverMissing) {
  const Table table({numbers("x", {0, 2}), numbers("z", {0, 2})});
  const Encoder encoder = fit(table, {.never_missing = {"x"}});
  EXPECT_TRUE(encoder.units()[0].never_missing);
  EXPECT_FALSE(encoder.units()[1].never_missing);
  EXPECT_TRUE(contains(message_of<DataError>([&] {
                         encoder.encode(Table({numbers("x", {0, kGap})}, "n.csv"));
                       }),
                       "n.csv:3, column \"x\": the cell is empty"));
  EXPECT_TRUE(contains(message_of<DataError>([&] {
                         encoder.encode(Table({numbers("z", {0, 1})}, "n.csv"));
                       }),
                       "no column \"x\""));
}

TEST(Encoder, RefusesUnseenCategoriesInColumnsThatAreNeverMissing) {
  const Encoder encoder =
      fit(Table({words("c", {"a", "b"})}),
          {.never_missing = {"c"}, .unseen_category = UnseenCategory::kMissing});
  EXPECT_THROW(encoder.encode(Table({words("c", {"z"})})), DataError);
}

TEST(Encoder, ReportsTheFirstBadRowWhateverTheThreads) {
  constexpr std::size_t kRows = 40000;
  const Encoder encoder =
      fit(Table({numbers("x", {0, 2}), numbers("z", {0, 2})}), {.ranges = {{"*", 0, 2}}});
  std::vector<double> x(kRows, 1.0), z(kRows, 1.0);
  x[30000] = 5;
  z[20001] = 5;
  z[39999] = 5;
  const Table table({numbers("x", x), numbers("z", z)}, "n.csv");
  for (const int threads : {1, 2, 8}) {
    EXPECT_TRUE(contains(message_of<DataError>([&] { encoder.encode(table, {}, threads); }),
                         "n.csv:20003, column \"z\""));
  }
}

TEST(Encoder, RefusesOptionsWithoutMeaning) {
  const Table table({numbers("x", {0, 2})});
  EXPECT_THROW(fit(table, {}, {.max_one_hot = -1}), ConfigError);
  EXPECT_THROW(fit(table, {}, {.clip_stddevs = -1}), ConfigError);
  EXPECT_THROW(fit(table, {}, {.clip_stddevs = kGap}), ConfigError);
}

// --- layout ---

TEST(Encoder, PutsTheInputsOfAUnitSideBySide) {
  const Table table({numbers("a", {0, 2, 1}), words("b", {"u", "", "v"}), numbers("c", {0, 2, 1}),
                     words("d", {"p", "q", "r"})});
  const Encoder encoder = fit(table, {.groups = {{"g", {"a", "c", "d"}}}},
                              {.max_one_hot = 2, .inline_placeholders = true});
  ASSERT_EQ(encoder.units().size(), 2U);
  const KnockoutUnit& group = encoder.units()[0];
  EXPECT_EQ(group.name, "g");
  EXPECT_EQ(group.features, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(group.begin, 0);
  EXPECT_EQ(group.width, 2);
  EXPECT_EQ(group.code_begin, 0);
  EXPECT_EQ(group.code_count, 1);
  const KnockoutUnit& alone = encoder.units()[1];
  EXPECT_EQ(alone.name, "b");
  EXPECT_EQ(alone.begin, 2);
  EXPECT_EQ(alone.width, 3);
  EXPECT_EQ(alone.code_count, 0);
  EXPECT_EQ(encoder.coding()[2].begin, 1);
  EXPECT_EQ(encoder.coding()[1].begin, 2);
  EXPECT_EQ(encoder.width(), 5);
}

TEST(Encoder, GivesTheSameRowsWithOneAndEightThreads) {
  constexpr std::uint32_t kRows = 20000;
  const Random random(7, Stream::kSimulation);
  std::vector<double> x;
  std::vector<std::string> c, many;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    x.push_back(random.uniform(0, row, 0) < 0.2 ? kGap : random.normal(1, row, 0));
    c.push_back(random.uniform(0, row, 1) < 0.2 ? ""
                                                : fmt::format("c{}", random.below(5, 1, row, 1)));
    many.push_back(fmt::format("m{}", random.below(100, 1, row, 2)));
  }
  const Table table({numbers("x", x), words("c", c), words("many", many)});
  const Encoder encoder = fit(table);
  const EncodedRows one = encoder.encode(table, {}, 1), eight = encoder.encode(table, {}, 8);
  EXPECT_EQ(one.values, eight.values);
  EXPECT_EQ(one.codes, eight.codes);
  // A row alone is encoded as it is among others.
  const EncodedRows row = encoder.encode(table.take_rows({12345}));
  const auto begin = one.values.begin() + 12345 * one.width;
  EXPECT_EQ(row.values, Floats(begin, begin + one.width));
  EXPECT_EQ(row.codes[0], one.codes[12345]);
}

TEST(Encoder, EncodesTablesWithoutRowsOrKnownColumns) {
  const Encoder encoder = fit(Table({numbers("x", {0, 2}), words("c", {"a", "b"})}));
  EXPECT_TRUE(encoder.encode(Table({numbers("x", {})})).values.empty());
  EXPECT_EQ(encoder.encode(Table({numbers("other", {1, 2})})).values, (Floats{10, 0, 0, 10, 0, 0}));
}

}  // namespace
}  // namespace knockout
