// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/patterns.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

/// A column with a gap where the text has a '.'; '!' is a gap for a reason.
Column column(const std::string& name, const std::string& cells) {
  std::vector<CellState> states;
  for (const char cell : cells) {
    states.push_back(cell == '.'   ? CellState::kMissing
                     : cell == '!' ? CellState::kMissingForAReason
                                   : CellState::kObserved);
  }
  return Column::numbers(name, std::vector<double>(states.size()), states);
}

using Patterns = std::vector<std::pair<std::vector<std::string>, std::size_t>>;

Patterns patterns_of(const Table& table, const std::vector<std::string>& columns,
                     std::size_t limit = 1000000) {
  Patterns patterns;
  for (const PatternCount& count : count_patterns(table, columns, limit)) {
    patterns.emplace_back(count.missing_columns, count.rows);
  }
  return patterns;
}

/// Every row's list of missing names in a map, then sorted.
Patterns naive_patterns(const Table& table, const std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> missing(table.rows());
  for (const std::string& name : columns) {
    const Column* column = table.find(name);
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (column == nullptr || !column->observed(row)) missing[row].push_back(name);
    }
  }
  std::map<std::vector<std::string>, std::size_t> counts;
  for (const auto& names : missing) ++counts[names];
  Patterns sorted(counts.begin(), counts.end());  // in lexical order
  std::ranges::stable_sort(sorted, std::greater(), [](const auto& entry) { return entry.second; });
  return sorted;
}

/// Random gaps in columns whose order is not the alphabet's.
Table random_table(int columns, int rows, double rate, std::uint64_t seed) {
  const Random random(seed, Stream::kSimulation);
  std::vector<Column> made;
  for (int c = 0; c < columns; ++c) {
    std::string cells;
    for (int r = 0; r < rows; ++r) cells += random.uniform(0, r, c) < rate ? '.' : 'x';
    made.push_back(column(fmt::format("c{}", c * 7919 % 1000), cells));
  }
  return Table(std::move(made), "random.csv");
}

TEST(CountPatterns, CountsByHand) {
  const Table table({column("b", "x.x.x!"), column("a", "xxxx..")});
  EXPECT_EQ(patterns_of(table, {"b", "a"}),
            (Patterns{{{}, 2}, {{"b"}, 2}, {{"a"}, 1}, {{"b", "a"}, 1}}));
  EXPECT_EQ(patterns_of(table, {"b", "a"}, 2), (Patterns{{{}, 2}, {{"b"}, 2}}));
  EXPECT_EQ(patterns_of(table, {"a"}), (Patterns{{{}, 4}, {{"a"}, 2}}));
}

TEST(CountPatterns, AnAbsentColumnIsMissingEverywhere) {
  const Table table({column("a", "x.x")});
  EXPECT_EQ(patterns_of(table, {"zip", "a"}), (Patterns{{{"zip"}, 2}, {{"zip", "a"}, 1}}));
}

TEST(CountPatterns, OfNoColumnsIsOnePatternAndOfNoRowsNone) {
  EXPECT_EQ(patterns_of(Table({column("a", "x.x")}), {}), (Patterns{{{}, 3}}));
  EXPECT_EQ(patterns_of(Table({column("a", "")}), {"a"}), Patterns{});
}

TEST(CountPatterns, AgreesWithAMapOfListsForAnyNumberOfColumns) {
  for (const int columns : {1, 3, 63, 64, 65, 130}) {
    for (const double rate : {0.01, 0.3}) {
      const Table table = random_table(columns, 800, rate, columns);
      EXPECT_EQ(patterns_of(table, table.names()), naive_patterns(table, table.names()))
          << columns << " columns, rate " << rate;
    }
  }
}

TEST(PlanFromReference, LearnsPatternsOfUnitsWithTheirWeights) {
  const Table reference({column("age", "x.xx.x"), column("left", "x..xx!"),
                         column("right", "xx.xxx"), column("other", "......")},
                        "there.csv");
  const KnockoutPlan plan = plan_from_reference(reference, {"age", "mri"},
                                                {{"age"}, {"left", "right"}}, {false, false}, 0.25);
  EXPECT_EQ(plan.units, 2);
  EXPECT_EQ(plan.never_missing, (std::vector<bool>{false, false}));
  ASSERT_EQ(plan.parts.size(), 2u);
  EXPECT_DOUBLE_EQ(plan.parts[0].weight, 0.75);
  EXPECT_DOUBLE_EQ(plan.parts[1].weight, 0.25);
  EXPECT_EQ(plan.parts[1].unit_rates, (std::vector<double>{0, 0}));
  std::map<std::vector<int>, double> weights;
  for (const auto& pattern : plan.parts[0].patterns) {
    weights[pattern.missing_units] = pattern.weight;
  }
  // Rows: complete, both, mri, complete, age, mri.
  EXPECT_EQ(weights,
            (std::map<std::vector<int>, double>{{{}, 2}, {{0}, 1}, {{0, 1}, 1}, {{1}, 2}}));
  EXPECT_NEAR(plan.expected_rates()[0], 0.75 * 2 / 6, 1e-12);
  EXPECT_NEAR(plan.expected_rates()[1], 0.75 * 3 / 6, 1e-12);
}

TEST(PlanFromReference, LeavesNeverMissingUnitsAndTakesAbsentOnesAway) {
  const Table reference({column("age", "..x")}, "there.csv");
  const KnockoutPlan plan =
      plan_from_reference(reference, {"age", "bmi"}, {{"age"}, {"bmi"}}, {true, false}, 0.0);
  EXPECT_EQ(plan.expected_rates(), (std::vector<double>{0, 1}));
}

TEST(PlanFromReference, RefusesAReferenceThatShowsNothing) {
  const std::vector<bool> never = {false};
  EXPECT_THROW(plan_from_reference(Table({column("age", "")}), {"age"}, {{"age"}}, never),
               DataError);
  EXPECT_THROW(plan_from_reference(Table({column("zip", "x")}), {"age"}, {{"age"}}, never),
               DataError);
}

TEST(PlanFromReference, KeepsTheRatesWhenThereAreMorePatternsThanItStores) {
  // 40 columns with 30 % gaps: nearly every row is a pattern of its own.
  Table reference = random_table(40, 10000, 0.3, 5);
  std::string often_missing;
  for (int row = 0; row < 10000; ++row) often_missing += row % 10 == 0 ? 'x' : '.';
  reference.add_column(column("often", often_missing));
  std::vector<std::vector<std::string>> columns;
  for (const std::string& name : reference.names()) columns.push_back({name});
  const KnockoutPlan plan =
      plan_from_reference(reference, reference.names(), columns, std::vector<bool>(41, false), 0.0);
  EXPECT_LE(plan.parts[0].patterns.size(), kMaxReferencePatterns);
  const std::vector<double> rates = plan.expected_rates();
  // Five standard deviations of a share over as many patterns as are kept.
  for (int unit = 0; unit < 40; ++unit) EXPECT_NEAR(rates[unit], 0.3, 5 * 0.46 / 64) << unit;
  EXPECT_NEAR(rates[40], 0.9, 5 * 0.3 / 64);
}

TEST(PlanFromReference, NeedsOneEntryPerUnitAndAShareBelowOne) {
  const Table reference({test::numbers("a", {1})});
  EXPECT_NO_THROW(plan_from_reference(reference, {"a"}, {{"a"}}, {false}, 0.5));
  EXPECT_THROW(plan_from_reference(reference, {"a"}, {}, {false}, 0.5), ConfigError);
  EXPECT_THROW(plan_from_reference(reference, {"a"}, {{"a"}}, {}, 0.5), ConfigError);
  EXPECT_THROW(plan_from_reference(reference, {"a"}, {{"a"}}, {false}, 1.0), ConfigError);
  EXPECT_THROW(plan_from_reference(reference, {"a"}, {{"a"}}, {false}, -0.1), ConfigError);
}

}  // namespace
}  // namespace knockout
