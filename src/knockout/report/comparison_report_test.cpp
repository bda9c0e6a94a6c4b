// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/comparison_report.h"

#include <gtest/gtest.h>

#include "knockout/report/test_values.h"

namespace knockout::report {
namespace {

MethodScore score(double loss, double rank, Estimate difference) {
  MethodScore made;
  made.relative_loss = {loss, loss - 0.1, loss + 0.1, 0.05};
  made.difference = difference;
  made.rank = rank;
  made.metrics = {{Metric::kMse}};
  made.estimates = {{{2.5, 2, 3, 0.25}}};
  return made;
}

/// Two methods and one that failed: "ours" leads with nothing removed, and "theirs" at 50 %.
Comparison make_comparison(double difference_low) {
  Comparison made;
  made.targets = {{.name = "y"}};
  made.rows = 100;
  made.folds = 5;
  made.repeats = 1;
  made.training = RemoveNothing{};
  made.methods = {{.name = "ours", .label = "Ours"},
                  {.name = "theirs", .label = "Theirs"},
                  {.name = "broken", .label = "Broken", .failure = "too few rows"}};
  made.testing = {RemoveNothing{}, RemoveCells{Mechanism::kMcar, 0.5}};
  const MethodScore failed = [] {
    MethodScore none;
    none.relative_loss = none.difference = {kNan, kNan, kNan, kNan};
    none.rank = kNan;
    return none;
  }();
  made.scores = {{score(0.5, 1, {}), score(0.7, 2, {0.2, difference_low, 0.3, 0.1}), failed},
                 {score(0.9, 2, {}), score(0.8, 1, {-0.1, -0.2, -0.05, 0.1}), failed}};
  return made;
}

TEST(ComparisonDocument, SaysWhereTheFirstMethodLeadsAndWhereItDoesNot) {
  const std::string summary = comparison_document(make_comparison(0.1)).summary;
  EXPECT_NE(summary.find("Nothing removed: Ours is first, 0.5000 against 0.7000 of Theirs."),
            std::string::npos)
      << summary;
  EXPECT_NE(summary.find("50 % of the cells removed (MCAR): Ours is number 2 of 2, 0.9000 against "
                         "0.8000 of Theirs."),
            std::string::npos)
      << summary;
  EXPECT_NE(summary.find("Broken could not be used: too few rows"), std::string::npos) << summary;
}

TEST(ComparisonDocument, SaysWhenChanceMayExplainALead) {
  const std::string summary = comparison_document(make_comparison(-0.1)).summary;
  EXPECT_NE(summary.find("Ours is first, by less than chance may explain"), std::string::npos)
      << summary;
}

TEST(ComparisonDocument, ShowsNoNumberWhereThereIsNone) {
  const std::string page = to_html(comparison_document(make_comparison(0.1)));
  EXPECT_EQ(page.find("nan"), std::string::npos);
}

TEST(ComparisonDocument, SaysThatMarTouchesHalfOfTheInputs) {
  Comparison made = make_comparison(0.1);
  made.testing = {RemoveNothing{}, RemoveCells{Mechanism::kMar, 0.3}};
  EXPECT_NE(comparison_document(made).summary.find("30 % of the cells of half of the inputs"),
            std::string::npos);
}

}  // namespace
}  // namespace knockout::report
