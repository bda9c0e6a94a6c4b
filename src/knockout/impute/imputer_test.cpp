// SPDX-License-Identifier: Apache-2.0
// What every imputer promises, whatever its kind.
#include "knockout/impute/imputer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/impute/test_tables.h"
#include "knockout/schema/dates.h"

namespace knockout {
namespace {

using namespace knockout::test;

class EveryImputer : public testing::TestWithParam<ImputerKind> {
 protected:
  static std::unique_ptr<Imputer> fitted(const Table& train, const Schema& schema,
                                         ImputerOptions options = {}) {
    options.trees = 12;
    return fit_imputer(GetParam(), train, schema, options);
  }
};

TEST_P(EveryImputer, FillsOrderedColumnsWithTheNearestLevel) {
  const std::vector<std::string> levels = {"none", "mild", "severe"};
  std::vector<double> dose;
  std::vector<std::string> truth, gappy;
  for (std::size_t row = 0; row < 240; ++row) {
    dose.push_back(static_cast<double>(row % 60));
    truth.push_back(levels[row % 60 / 20]);
    gappy.push_back(row % 7 == 0 ? "" : truth.back());
  }
  const Table table({numbers("dose", dose), words("severity", gappy)});
  Schema schema;
  schema.features = {{.name = "dose"},
                     {.name = "severity", .kind = ColumnKind::kOrdered, .categories = levels}};
  const Table filled = fitted(table, schema)->apply(table);
  const Column& column = filled.at("severity");
  std::size_t wrong = 0, far = 0;
  for (std::size_t row = 0; row < 240; ++row) {
    ASSERT_TRUE(column.observed(row));
    const int found = find_label(levels, column.word(row)), real = find_label(levels, truth[row]);
    ASSERT_GE(found, 0) << column.word(row);
    wrong += found != real;
    far += std::abs(found - real) > 1;
  }
  EXPECT_EQ(far, 0U) << "the lowest level where the highest belongs, or the reverse";
  // The mean of the ranks is the middle level, which is right for a third.
  EXPECT_LE(wrong, GetParam() == ImputerKind::kMean ? 25U : 8U);
}

TEST_P(EveryImputer, FillsEveryGapOfMixedColumnsWithWhatTheSchemaKnows) {
  const Schema schema = patient_schema();
  const Table table = patients(0.3);
  const Table filled = fitted(table, schema)->apply(table);
  ASSERT_EQ(filled.names(), table.names());
  for (const Feature& feature : schema.features) {
    const std::vector<std::string> before = spelled(table.at(feature.name));
    const std::vector<std::string> after = spelled(filled.at(feature.name));
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (!before[row].empty()) {
        EXPECT_EQ(after[row], before[row]);
      } else if (feature.kind == ColumnKind::kCategorical) {
        EXPECT_GE(find_label(feature.categories, after[row]), 0) << after[row];
      } else if (feature.kind == ColumnKind::kDate) {
        const auto days = parse_date(after[row]);
        ASSERT_TRUE(days.has_value()) << after[row];
        EXPECT_GE(*days, *parse_date("2020-01-10"));
        EXPECT_LE(*days, *parse_date("2020-01-21"));
      } else {
        const auto years = parse_number(after[row]);
        ASSERT_TRUE(years.has_value()) << after[row];
        EXPECT_GE(*years, 20);
        EXPECT_LE(*years, 79);
      }
    }
  }
  EXPECT_EQ(spelled(filled.at("outcome")), spelled(table.at("outcome")));  // not an input
}

TEST_P(EveryImputer, FillsPatternsThatTrainingNeverShowed) {
  const Schema schema = patient_schema();
  const auto imputer = fitted(patients(0), schema);  // complete
  const Table table({words("sex", {"m", "", "f"}), numbers("stage", {kGap, kGap, 1}),
                     words("admitted", {"", "", "2020-01-11"})});
  const Table filled = imputer->apply(table);
  EXPECT_EQ(filled.names(), (std::vector<std::string>{"sex", "stage", "admitted", "age"}));
  for (const Column& column : filled.columns()) {
    for (const std::string& cell : spelled(column)) EXPECT_NE(cell, "") << column.name();
  }
  // The second row has nothing: the training means and modes, or near them.
  EXPECT_NEAR(filled.at("age").number(1), 50, 6);
  EXPECT_NEAR(*parse_date(spelled(filled.at("admitted"))[1]), *parse_date("2020-01-15"), 2);
}

TEST_P(EveryImputer, GivesTheSameFillingWithOneAndThreeThreads) {
  const Schema schema = patient_schema();
  const Table train = patients(0.3);
  const Table alone = fitted(train, schema, {.threads = 1})->apply(train, 1);
  const Table together = fitted(train, schema, {.threads = 3})->apply(train, 3);
  EXPECT_EQ(spelled(together), spelled(alone));
}

/// Rows of `train` alone, in blocks of several sizes and in another order are filled as in one
/// block: to the last bit, since spelled() gives all digits of a number.
void expect_rows_to_be_independent(const Imputer& imputer, const Table& table) {
  const std::vector<std::vector<std::string>> all = spelled(imputer.apply(table));
  const auto expect_same = [&](const std::vector<std::size_t>& rows) {
    const auto some = spelled(imputer.apply(table.take_rows(rows)));
    for (std::size_t c = 0; c < all.size(); ++c) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(some[c][i], all[c][rows[i]])
            << "row " << rows[i] << " as number " << i << " of " << rows.size();
      }
    }
  };
  for (std::size_t row = 0; row < table.rows(); ++row) expect_same({row});
  for (const std::size_t count : {2, 3, 5, 7, 31, 37, 100}) {
    for (const std::size_t step : {1, 7}) {
      std::vector<std::size_t> rows;
      for (std::size_t i = 0; i < count; ++i) rows.push_back((11 + i * step) % table.rows());
      expect_same(rows);
      std::reverse(rows.begin(), rows.end());
      expect_same(rows);
    }
  }
}

TEST_P(EveryImputer, FillsARowTheSameWhateverTheOtherRows) {
  const Table table = patients(0.3);
  expect_rows_to_be_independent(*fitted(table, patient_schema()), table);
}

TEST_P(EveryImputer, FillsARowTheSameWhateverTheOtherRowsWhenTrainingIsComplete) {
  expect_rows_to_be_independent(*fitted(patients(0), patient_schema()), patients(0.3));
}

// Numbers with many digits, so that a last bit shows.
TEST_P(EveryImputer, FillsARowOfNumbersTheSameWhateverTheOtherRows) {
  const Columns columns = with_gaps(gaussian_columns(150, 5), 0.3, 6);
  expect_rows_to_be_independent(*fitted(table_of(columns), schema_of(columns)), table_of(columns));
}

TEST_P(EveryImputer, ReportsGrowingSharesOfItsProgress) {
  std::vector<double> shares;
  const Table train = patients(0.3);
  fitted(train, patient_schema(), {.progress = [&](double share) { shares.push_back(share); }});
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GE(shares.front(), 0);
  EXPECT_EQ(shares.back(), 1);
}

TEST_P(EveryImputer, NamesTheFirstCellThatTheSchemaCannotRead) {
  Schema schema = patient_schema();
  schema.unseen_category = UnseenCategory::kError;
  const auto imputer = fitted(patients(0.1), schema);
  const Table table({numbers("age", {30, 40, 130}), words("sex", {"f", "x", "m"})}, "new.csv");
  const std::string message = message_of<DataError>([&] { imputer->apply(table); });
  EXPECT_TRUE(contains(message, "new.csv:3, column \"sex\"")) << message;
}

TEST_P(EveryImputer, TreatsAnUnseenCategoryAsAGapWhereTheSchemaSaysSo) {
  Schema schema = patient_schema();
  schema.unseen_category = UnseenCategory::kMissing;
  const auto imputer = fitted(patients(0.1), schema);
  const Table filled = imputer->apply(Table({numbers("age", {75}), words("sex", {"x"})}));
  EXPECT_NE(find_label({"f", "m"}, spelled(filled.at("sex"))[0]), -1);
}

TEST_P(EveryImputer, LeavesACompleteTableAsItIs) {
  const Table table = patients(0);
  EXPECT_EQ(spelled(fitted(table, patient_schema())->apply(table)), spelled(table));
}

TEST_P(EveryImputer, SurvivesAColumnWithoutASingleCell) {
  Columns columns = gaussian_columns(60, 1);
  std::fill(columns[1].begin(), columns[1].end(), kGap);
  columns[2][5] = kGap;
  Schema schema = schema_of(columns);
  schema.features[1].lower = 2.0;
  const Table table = table_of(columns);
  const Table filled = fitted(table, schema)->apply(table);
  for (const double number : filled.at("x1").numbers()) EXPECT_EQ(number, 2.0);
  EXPECT_TRUE(std::isfinite(filled.at("x2").number(5)));
}

TEST_P(EveryImputer, FillsASingleColumn) {
  const Columns columns = {{1, 2, kGap, 3}};
  const Table table = table_of(columns);
  EXPECT_NEAR(fitted(table, schema_of(columns))->apply(table).at("x0").number(2), 2.0, 1e-6);
}

TEST_P(EveryImputer, FillsATableWithoutRows) {
  const Table filled = fitted(patients(0.2), patient_schema())->apply(patients(0).take_rows({}));
  EXPECT_EQ(filled.rows(), 0U);
}

TEST_P(EveryImputer, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(fitted(patients(0.3), patient_schema(), {.stop = source.get_token()}), Cancelled);
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryImputer, testing::ValuesIn(imputer_kinds()),
                         [](const auto& kind) { return std::string(to_string(kind.param)); });

TEST(MeanImputer, FillsWithTheMeanAndTheModeOfTheTrainingTable) {
  Schema schema;
  schema.features = {
      {.name = "dose"},
      {.name = "site", .kind = ColumnKind::kCategorical, .categories = {"a", "b", "c"}},
      {.name = "day", .kind = ColumnKind::kDate}};
  const Table train({numbers("dose", {1, 2, kGap, 6, kReasonGap}),
                     words("site", {"b", "", "b", "a", "c"}),
                     words("day", {"2021-03-01", "2021-03-05", "", "", "2021-03-06"})});
  const auto imputer = fit_imputer(ImputerKind::kMean, train, schema);
  const Table filled = imputer->apply(train);
  EXPECT_EQ(listed(filled.at("dose").numbers()), (std::vector<double>{1, 2, 3, 6, 3}));
  EXPECT_EQ(spelled(filled.at("site")), (std::vector<std::string>{"b", "b", "b", "a", "c"}));
  EXPECT_EQ(spelled(filled.at("day"))[2], "2021-03-04");
  const Table other = imputer->apply(Table({numbers("dose", {100, kGap})}));
  EXPECT_EQ(other.at("dose").number(1), 3);  // of the training table, not of this one
}

TEST(MeanImputer, ChangesTheFormOfColumnsThatCannotHoldTheirFilling) {
  Schema schema;
  schema.features = {{.name = "dose"},
                     {.name = "site", .kind = ColumnKind::kCategorical, .categories = {"7", "a"}},
                     {.name = "arm", .kind = ColumnKind::kCategorical, .categories = {"1", "2"}},
                     {.name = "day", .kind = ColumnKind::kDate}};
  const Table train({numbers("dose", {1, 3}), words("site", {"a", "a"}), numbers("arm", {2, 2}),
                     words("day", {"2021-03-01", "2021-03-01"})});
  const auto imputer = fit_imputer(ImputerKind::kMean, train, schema);
  // Words that are numbers, numbers beside a category that is a word, an empty column of dates.
  const Table filled =
      imputer->apply(Table({words("dose", {"5", ""}), numbers("site", {7, kGap}),
                            words("arm", {"1", ""}), numbers("day", {kGap, kGap})}));
  EXPECT_EQ(listed(filled.at("dose").numbers()), (std::vector<double>{5, 2}));
  EXPECT_EQ(spelled(filled.at("site")), (std::vector<std::string>{"7", "a"}));
  EXPECT_EQ(spelled(filled.at("arm")), (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(spelled(filled.at("day")), (std::vector<std::string>{"2021-03-01", "2021-03-01"}));
}

TEST(FitImputer, RefusesImpossibleOptions) {
  const Columns columns = {{1, 2}};
  const auto refusal = [&](const ImputerOptions& options) {
    return message_of<ConfigError>(
        [&] { fit_imputer(ImputerKind::kMean, table_of(columns), schema_of(columns), options); });
  };
  EXPECT_TRUE(contains(refusal({.neighbors = 0}), "`neighbors` is 0"));
  EXPECT_TRUE(contains(refusal({.max_rounds = 0}), "`max_rounds` is 0"));
  EXPECT_TRUE(contains(refusal({.tolerance = kGap}), "`tolerance` is nan"));
  EXPECT_TRUE(contains(refusal({.trees = 0}), "`trees` is 0"));
}

}  // namespace
}  // namespace knockout
