// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/predictor.h"

#include <gtest/gtest.h>

namespace knockout {
namespace {

TargetPrediction regression(const std::string& name, std::vector<double> values) {
  return {Target{name, Task::kRegression, {}}, std::move(values)};
}

TargetPrediction classification(const std::string& name, std::vector<std::string> classes,
                                std::vector<double> values) {
  return {Target{name, Task::kClassification, std::move(classes)}, std::move(values)};
}

std::string word(const Table& table, const std::string& name, std::size_t row) {
  const Column& column = table.at(name);
  return column.words.at(column.codes.at(row));
}

TEST(TargetPrediction, BestClassIsTheMostProbableAndTheFirstOfEquals) {
  const auto prediction =
      classification("y", {"a", "b", "c"}, {0.1, 0.7, 0.2, 0.4, 0.2, 0.4, 0, 0, 1});
  ASSERT_EQ(prediction.rows(), 3u);
  EXPECT_EQ(prediction.best_class(0), 1u);
  EXPECT_EQ(prediction.best_class(1), 0u);
  EXPECT_EQ(prediction.best_class(2), 2u);
}

TEST(PredictionsToTable, ARegressionIsOneColumn) {
  const Table table = predictions_to_table({regression("price", {1.5, -2, 3})});
  EXPECT_EQ(table.names(), std::vector<std::string>{"prediction"});
  EXPECT_EQ(table.at("prediction").numbers, (std::vector<double>{1.5, -2, 3}));
  EXPECT_TRUE(table.at("prediction").observed(2));
}

TEST(PredictionsToTable, AClassificationIsTheClassAndEveryProbability) {
  const Table table =
      predictions_to_table({classification("survived", {"no", "yes"}, {0.8, 0.2, 0.3, 0.7})});
  EXPECT_EQ(table.names(),
            (std::vector<std::string>{"prediction", "probability_no", "probability_yes"}));
  EXPECT_EQ(word(table, "prediction", 0), "no");
  EXPECT_EQ(word(table, "prediction", 1), "yes");
  EXPECT_EQ(table.at("probability_no").numbers, (std::vector<double>{0.8, 0.3}));
  EXPECT_EQ(table.at("probability_yes").numbers, (std::vector<double>{0.2, 0.7}));
}

TEST(PredictionsToTable, SeveralTargetsCarryTheirNames) {
  const Table table = predictions_to_table(
      {regression("price", {1}), classification("colour", {"red", "blue"}, {0.4, 0.6})});
  EXPECT_EQ(table.names(),
            (std::vector<std::string>{"prediction_price", "prediction_colour",
                                      "probability_colour_red", "probability_colour_blue"}));
  EXPECT_EQ(word(table, "prediction_colour", 0), "blue");
}

TEST(PredictionsToTable, OfNoRowsKeepsTheColumns) {
  const Table table = predictions_to_table({classification("y", {"a", "b"}, {})});
  EXPECT_EQ(table.rows(), 0u);
  EXPECT_EQ(table.column_count(), 3u);
}

}  // namespace
}  // namespace knockout
