// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/column_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::kGap;
using test::kReasonGap;
using test::numbers;
using test::words;
using Role = ColumnSummary::Role;

std::vector<ColumnSummary> summarise(const Table& table, const SchemaOptions& options) {
  return summarise_columns(table, infer_schema(table, options));
}

TEST(SummariseColumns, CountsGapsAndFindsTheRangeOfNumbers) {
  Table table({numbers("x", {3, kGap, -1, kReasonGap, 7, -kReasonGap, 0}),
               numbers("y", {1, 2, 3.5, 4, 5, 6, 7})});
  table.set_missing(6, 0, kReason);
  const ColumnSummary x = summarise(table, {.targets = {"y"}})[0];
  EXPECT_EQ(x.role, Role::kInput);
  EXPECT_EQ(x.observed, 3U);
  EXPECT_EQ(x.missing, 4U);
  EXPECT_EQ(x.missing_for_a_reason, 3U);
  EXPECT_EQ(x.below_limit, 1U);
  EXPECT_EQ(x.above_limit, 1U);
  EXPECT_EQ(x.low, -1.0);
  EXPECT_EQ(x.high, 7.0);
  EXPECT_DOUBLE_EQ(*x.mean, 3.0);
}

TEST(SummariseColumns, OrdersCategoriesByFrequencyThenByLabel) {
  const Table table({words("w", {"b", "c", "a", "c", "", "b"}), numbers("y", {1, 2, 3, 4, 5, .5})});
  const ColumnSummary w = summarise(table, {.targets = {"y"}})[0];
  EXPECT_EQ(w.kind, ColumnKind::kCategorical);
  ASSERT_EQ(w.distinct, 3U);
  ASSERT_EQ(w.counts.size(), 3U);
  EXPECT_EQ(w.counts[0].label, "b");
  EXPECT_EQ(w.counts[1].label, "c");
  EXPECT_EQ(w.counts[2].label, "a");
  EXPECT_EQ(w.counts[0].rows, 2U);
}

TEST(SummariseColumns, TellsTheRoleOfEveryColumn) {
  const Table table({numbers("x", {1, 2.5, 3}), words("y", {"a", "b", "a"}),
                     numbers("w", {1, 1, 2}), numbers("constant", {4, 4, 4})});
  const auto summaries = summarise(table, {.targets = {"y"}, .weight_column = "w"});
  EXPECT_EQ(summaries[0].role, Role::kInput);
  EXPECT_EQ(summaries[0].feature, 0U);
  EXPECT_EQ(summaries[1].role, Role::kTarget);
  EXPECT_EQ(summaries[1].feature, std::nullopt);
  EXPECT_EQ(summaries[1].kind, ColumnKind::kCategorical);
  EXPECT_EQ(summaries[2].role, Role::kWeight);
  EXPECT_EQ(summaries[3].role, Role::kSetAside);
  EXPECT_EQ(summaries[3].set_aside_reason, "constant");
}

TEST(SummariseColumns, GivesTheFirstAndLastDateNotTheFirstAndLastWord) {
  const Table table(
      {words("day", {"2010-01-02", "1999-12-31", "2005/06/01"}), numbers("y", {1, 2.5, 3})});
  const ColumnSummary day = summarise(table, {.targets = {"y"}})[0];
  EXPECT_EQ(day.kind, ColumnKind::kDate);
  EXPECT_EQ(day.first_date, "1999-12-31");
  EXPECT_EQ(day.last_date, "2010-01-02");
}

TEST(BaseRateLogLoss, IsTheEntropyOfTheLabels) {
  const Target target{"y", Task::kClassification, {"a", "b"}};
  EXPECT_NEAR(base_rate_log_loss(words("y", {"a", "b", "", "a", "b"}), target), std::log(2.0),
              1e-12);
  const double quarter = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
  EXPECT_NEAR(base_rate_log_loss(numbers("y", {0, 1, 1, 1, kGap}), target), quarter, 1e-12);
}

}  // namespace
}  // namespace knockout
