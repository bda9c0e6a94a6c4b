// SPDX-License-Identifier: Apache-2.0
#include "knockout/mask/ampute.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

constexpr int kTableRows = 10000;

Column normal_column(const std::string& name, std::uint32_t unit) {
  const Random random(99, Stream::kSimulation);
  std::vector<double> numbers;
  for (std::uint32_t row = 0; row < kTableRows; ++row) {
    numbers.push_back(10 + 3 * random.normal(0, row, unit));
  }
  return Column::numbers(name, std::move(numbers));
}

/// Words a, b, c, d with shares 0.4, 0.3, 0.2 and 0.1.
Column word_column(const std::string& name) {
  std::vector<std::int32_t> codes;
  for (int row = 0; row < kTableRows; ++row) {
    const int digit = row % 10;
    codes.push_back(digit < 4 ? 0 : digit < 7 ? 1 : digit < 9 ? 2 : 3);
  }
  return Column::coded(name, std::move(codes), {"a", "b", "c", "d"});
}

Table make_test_table() {
  Table table({normal_column("x", 0), normal_column("y", 1), normal_column("z", 2),
               normal_column("target", 3), word_column("word")},
              "test.csv");
  for (std::size_t row = 0; row < 1000; ++row) {  // gaps that were there before
    table.set_missing(row, 1, kReason);
  }
  return table;
}

const Table& test_table() {
  static const Table table = make_test_table();
  return table;
}

std::size_t gaps(const Column& column) {
  return std::ranges::count_if(column.states(),
                               [](CellState s) { return s != CellState::kObserved; });
}

/// Share of the cells observed in `before` that are gone in `after`.
double removed_share(const Table& before, const Table& after, const std::string& name) {
  const Column &was = before.at(name), &is = after.at(name);
  double removed = 0, observed = 0;
  for (std::size_t row = 0; row < was.size(); ++row) {
    observed += was.observed(row);
    removed += was.observed(row) && !is.observed(row);
  }
  return removed / observed;
}

/// Five standard deviations of the share of removed cells.
double share_tolerance(double rate) {
  return 5 * std::sqrt(rate * (1 - rate) / (kTableRows - 1000));
}

std::string ampute_error_of(const AmputeOptions& options) {
  try {
    ampute(test_table(), options);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Ampute, ChangesNothingButTheStatesOfRemovedCells) {
  const Table& before = test_table();
  for (const Mechanism mechanism : {Mechanism::kMcar, Mechanism::kMar, Mechanism::kMnar}) {
    const Table after = ampute(before, {.mechanism = mechanism, .rate = 0.4, .seed = 3});
    ASSERT_EQ(after.names(), before.names());
    EXPECT_EQ(after.source(), before.source());
    for (std::size_t c = 0; c < before.column_count(); ++c) {
      const Column &was = before.column(c), &is = after.column(c);
      ASSERT_EQ(is.size(), was.size());
      EXPECT_EQ(listed(is.words()), listed(was.words()));
      for (std::size_t row = 0; row < was.size(); ++row) {
        if (is.observed(row)) {
          ASSERT_TRUE(was.observed(row));
          if (was.is_text()) {
            ASSERT_EQ(is.codes()[row], was.codes()[row]);
          } else {
            ASSERT_EQ(is.number(row), was.number(row));
          }
        } else {
          // A gap that was there keeps its reason; a new one has none, and no value.
          ASSERT_EQ(is.state(row), was.observed(row) ? CellState::kMissing : was.state(row));
          ASSERT_EQ(is.is_text() ? is.codes()[row] : is.number(row), is.is_text() ? -1 : 0);
        }
      }
    }
  }
}

TEST(Ampute, IsAFunctionOfTheSeed) {
  const Table& table = test_table();
  for (const Mechanism mechanism : {Mechanism::kMcar, Mechanism::kMar, Mechanism::kMnar}) {
    const auto states = [&](std::uint64_t seed) {
      const Table after = ampute(table, {.mechanism = mechanism, .rate = 0.25, .seed = seed});
      std::vector<std::vector<CellState>> all;
      for (const Column& column : after.columns()) all.push_back(listed(column.states()));
      return all;
    };
    EXPECT_EQ(states(1), states(1));
    EXPECT_NE(states(1), states(2));  // under mnar the words differ
  }
}

TEST(Ampute, McarRemovesEachColumnAtTheRateWhateverTheValue) {
  const Table& before = test_table();
  const Table after = ampute(before, {.rate = 0.3, .keep = {"target"}, .seed = 1});
  for (const char* name : {"x", "y", "z", "word"}) {
    EXPECT_NEAR(removed_share(before, after, name), 0.3, share_tolerance(0.3)) << name;
  }
  EXPECT_EQ(gaps(after.at("target")), 0u);
  double sum = 0, count = 0;
  for (std::size_t row = 0; row < kTableRows; ++row) {
    if (after.at("x").observed(row)) continue;
    sum += before.at("x").number(row);
    ++count;
  }
  EXPECT_NEAR(sum / count, 10, 5 * 3 / std::sqrt(count));
}

TEST(Ampute, ChoosesColumnsByPattern) {
  const Table after = ampute(test_table(), {.rate = 0.5, .columns = {"w*", "x"}});
  EXPECT_GT(gaps(after.at("word")), 0u);
  EXPECT_GT(gaps(after.at("x")), 0u);
  EXPECT_EQ(gaps(after.at("z")), 0u);
  EXPECT_EQ(gaps(after.at("y")), 1000u);
}

TEST(Ampute, RateZeroRemovesNothing) {
  for (const Mechanism mechanism : {Mechanism::kMcar, Mechanism::kMar, Mechanism::kMnar}) {
    const Table after = ampute(test_table(), {.mechanism = mechanism, .rate = 0});
    EXPECT_EQ(gaps(after.at("x")) + gaps(after.at("word")), 0u);
  }
}

/// Correlation between the gaps of one column and the values of another.
double gap_correlation(const Table& before, const Table& after, const std::string& gap_column,
                       const std::string& value_column) {
  const Column &was = before.at(gap_column), &is = after.at(gap_column);
  const Column& values = before.at(value_column);
  double n = 0, g = 0, v = 0, gg = 0, vv = 0, gv = 0;
  for (std::size_t row = 0; row < before.rows(); ++row) {
    if (!was.observed(row) || !values.observed(row)) continue;
    const double gap = !is.observed(row);
    const double value = values.number(row) - 10;
    n += 1, g += gap, v += value, gg += gap * gap, vv += value * value, gv += gap * value;
  }
  return (gv / n - g / n * v / n) / std::sqrt((gg / n - g / n * g / n) * (vv / n - v / n * v / n));
}

TEST(Ampute, MarGapsDependOnTheDriversAndNotOnTheValueItself) {
  const Table& before = test_table();  // the columns are independent of each other
  for (const double rate : {0.1, 0.5, 0.9}) {
    const Table after = ampute(before, {.mechanism = Mechanism::kMar,
                                        .rate = rate,
                                        .columns = {"x", "y"},
                                        .drivers = {"z"},
                                        .seed = 4});
    for (const char* name : {"x", "y"}) {
      EXPECT_NEAR(removed_share(before, after, name), rate, share_tolerance(rate)) << name;
      EXPECT_GT(std::abs(gap_correlation(before, after, name, "z")), 0.25) << name << rate;
      EXPECT_LT(std::abs(gap_correlation(before, after, name, name)), 0.04) << name << rate;
      EXPECT_LT(std::abs(gap_correlation(before, after, name, "target")), 0.04) << name << rate;
    }
    EXPECT_EQ(gaps(after.at("z")), 0u);
    EXPECT_EQ(gaps(after.at("target")), 0u);
  }
}

TEST(Ampute, MarTakesARandomHalfOfTheColumnsAsDrivers) {
  const Table& before = test_table();
  std::map<std::string, int> times_amputed;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Table after = ampute(
        before, {.mechanism = Mechanism::kMar, .rate = 0.3, .keep = {"target"}, .seed = seed});
    std::vector<std::string> amputed;
    for (const std::string& name : before.names()) {
      if (gaps(after.at(name)) > gaps(before.at(name))) amputed.push_back(name);
    }
    ASSERT_EQ(amputed.size(), 2u);
    for (const std::string& name : amputed) {
      ++times_amputed[name];
      EXPECT_NEAR(removed_share(before, after, name), 0.3, share_tolerance(0.3)) << name;
    }
  }
  EXPECT_EQ(times_amputed["target"], 0);
  for (const char* name : {"x", "y", "z", "word"}) EXPECT_GT(times_amputed[name], 2) << name;
}

TEST(Ampute, MarWithNamedColumnsIsDrivenByTheOthersButNotByKeptOnes) {
  const Table& before = test_table();
  const Table after = ampute(before, {.mechanism = Mechanism::kMar,
                                      .rate = 0.5,
                                      .columns = {"x", "word"},
                                      .keep = {"target"},
                                      .seed = 2});
  EXPECT_GT(std::abs(gap_correlation(before, after, "x", "z")), 0.2);
  EXPECT_LT(std::abs(gap_correlation(before, after, "x", "target")), 0.04);
  EXPECT_NEAR(removed_share(before, after, "word"), 0.5, share_tolerance(0.5));
}

TEST(Ampute, MarCanBeDrivenByWords) {
  const Table& before = test_table();
  const Table after = ampute(before, {.mechanism = Mechanism::kMar,
                                      .rate = 0.5,
                                      .columns = {"x"},
                                      .drivers = {"word"},
                                      .seed = 2});
  std::vector<double> removed(4), rows(4);
  for (std::size_t row = 0; row < kTableRows; ++row) {
    const int code = before.at("word").codes()[row];
    rows[code] += 1;
    removed[code] += !after.at("x").observed(row);
  }
  double lowest = 1, highest = 0;
  for (int code = 0; code < 4; ++code) {
    lowest = std::min(lowest, removed[code] / rows[code]);
    highest = std::max(highest, removed[code] / rows[code]);
  }
  EXPECT_GT(highest - lowest, 0.3);
}

/// numpy's default quantile, written down again.
double quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const std::size_t below = std::min(static_cast<std::size_t>(position), values.size() - 2);
  return values[below] +
         (position - static_cast<double>(below)) * (values[below + 1] - values[below]);
}

TEST(Ampute, MnarRemovesExactlyTheValuesAboveTheQuantile) {
  const Table& before = test_table();
  for (const double rate : {0.1, 0.25, 0.37}) {
    const Table after = ampute(before, {.mechanism = Mechanism::kMnar, .rate = rate});
    for (const char* name : {"x", "y"}) {
      std::vector<double> observed;
      for (std::size_t row = 0; row < kTableRows; ++row) {
        if (before.at(name).observed(row)) observed.push_back(before.at(name).number(row));
      }
      const double limit = quantile(observed, 1 - rate);
      for (std::size_t row = 0; row < kTableRows; ++row) {
        if (!before.at(name).observed(row)) continue;
        ASSERT_EQ(after.at(name).observed(row), before.at(name).number(row) <= limit);
      }
    }
  }
}

TEST(Ampute, MnarByHand) {
  const auto left = [](std::vector<double> numbers, double rate) {
    const Table after = ampute(Table({Column::numbers("v", std::move(numbers))}),
                               {.mechanism = Mechanism::kMnar, .rate = rate});
    std::vector<double> kept;
    for (std::size_t row = 0; row < after.rows(); ++row) {
      if (after.at("v").observed(row)) kept.push_back(after.at("v").number(row));
    }
    return kept;
  };
  // The 90th percentile of 0..10 is 9, the 75th is 7.5.
  EXPECT_EQ(left({3, 1, 10, 2, 0, 9, 5, 4, 6, 8, 7}, 0.1),
            (std::vector<double>{3, 1, 2, 0, 9, 5, 4, 6, 8, 7}));
  EXPECT_EQ(left({3, 1, 10, 2, 0, 9, 5, 4, 6, 8, 7}, 0.25),
            (std::vector<double>{3, 1, 2, 0, 5, 4, 6, 7}));
  EXPECT_EQ(left({4}, 0.5), std::vector<double>{4});
  // Ties at the quantile: two of the four ones go, so that the rate is met.
  EXPECT_EQ(left({0, 1, 1, 0, 1, 1, 0, 0, 0}, 0.25).size(), 7u);
}

TEST(Ampute, MnarMeetsTheRateInAColumnOfZerosAndOnes) {
  std::vector<double> numbers(1000, 0.0);
  std::fill_n(numbers.begin(), 400, 1.0);
  const Table before({Column::numbers("v", numbers)});
  const Table after = ampute(before, {.mechanism = Mechanism::kMnar, .rate = 0.3, .seed = 1});
  std::size_t removed = 0;
  for (std::size_t row = 0; row < 1000; ++row) {
    if (after.at("v").observed(row)) continue;
    ++removed;
    EXPECT_EQ(numbers[row], 1.0);
  }
  EXPECT_NEAR(static_cast<double>(removed), 300, 1);
}

TEST(Ampute, MnarRemovesWholeCategoriesAndTheLastOneInPart) {
  const Table& before = test_table();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Table after = ampute(
        before, {.mechanism = Mechanism::kMnar, .rate = 0.35, .columns = {"word"}, .seed = seed});
    EXPECT_NEAR(static_cast<double>(gaps(after.at("word"))), 0.35 * kTableRows, 1);
    std::vector<int> removed(4), rows(4);
    for (std::size_t row = 0; row < kTableRows; ++row) {
      const int code = before.at("word").codes()[row];
      ++rows[code];
      removed[code] += !after.at("word").observed(row);
    }
    int in_part = 0;
    for (int code = 0; code < 4; ++code) {
      in_part += removed[code] != 0 && removed[code] != rows[code];
    }
    EXPECT_LE(in_part, 1) << "seed " << seed;
  }
}

TEST(Ampute, LogisticMnarFavoursLargeValuesAndMeetsTheRate) {
  const Table& before = test_table();
  for (const double rate : {0.05, 0.3, 0.8}) {
    const Table after =
        ampute(before, {.mechanism = Mechanism::kMnar, .rate = rate, .smooth = true, .seed = 8});
    for (const char* name : {"x", "y", "word"}) {
      EXPECT_NEAR(removed_share(before, after, name), rate, share_tolerance(rate)) << name;
    }
    EXPECT_GT(gap_correlation(before, after, "x", "x"), 0.2);
    // Not a cut: some of the smaller half go as well, some of the larger half stay.
    std::size_t small_removed = 0, large_kept = 0;
    for (std::size_t row = 0; row < kTableRows; ++row) {
      small_removed += before.at("x").number(row) < 10 && !after.at("x").observed(row);
      large_kept += before.at("x").number(row) > 10 && after.at("x").observed(row);
    }
    EXPECT_GT(small_removed, 20u);
    EXPECT_GT(large_kept, 20u);
  }
}

TEST(Ampute, SurvivesHugeAndTinyNumbers) {
  std::vector<double> huge, tiny;
  for (int row = 0; row < 1000; ++row) {
    huge.push_back(row % 2 == 0 ? 1e308 : -1e308);
    tiny.push_back(row * 1e-310);
  }
  const Table before({Column::numbers("huge", huge), Column::numbers("tiny", tiny)});
  for (const char* column : {"huge", "tiny"}) {
    const char* driver = column == std::string("huge") ? "tiny" : "huge";
    const Table after = ampute(
        before,
        {.mechanism = Mechanism::kMar, .rate = 0.5, .columns = {column}, .drivers = {driver}});
    EXPECT_NEAR(static_cast<double>(gaps(after.at(column))), 500, 80) << column;
  }
}

TEST(Ampute, RefusesImpossibleOptions) {
  for (const double rate : {-0.1, 1.0, 1.5, std::nan("")}) {
    EXPECT_NE(ampute_error_of({.rate = rate}), "no error") << rate;
  }
  EXPECT_NE(ampute_error_of({.columns = {"xx"}}), "no error");
  EXPECT_NE(ampute_error_of({.keep = {"*"}}), "no error");
  EXPECT_NE(ampute_error_of({.columns = {"x"}, .keep = {"x"}}), "no error");
  EXPECT_NE(ampute_error_of({.drivers = {"x"}}), "no error");
  EXPECT_NE(ampute_error_of({.mechanism = Mechanism::kMar, .columns = {"x"}, .drivers = {"x"}}),
            "no error");
  EXPECT_NE(ampute_error_of({.mechanism = Mechanism::kMar, .columns = {"*"}}), "no error");
  EXPECT_NE(ampute_error_of({.mechanism = Mechanism::kMar, .keep = {"x", "y", "z", "word"}}),
            "no error");
}

TEST(Ampute, RefusesConstantDrivers) {
  const Table table({Column::numbers("x", {1, 2, 3}), Column::numbers("same", {5, 5, 5})});
  EXPECT_THROW(ampute(table, {.mechanism = Mechanism::kMar, .drivers = {"same"}}), DataError);
}

}  // namespace
}  // namespace knockout
