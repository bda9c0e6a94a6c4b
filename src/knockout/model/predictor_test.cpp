// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/predictor.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/schema/test_columns.h"

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
  return column.word(row);
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
  EXPECT_EQ(listed(table.at("prediction").numbers()), (std::vector<double>{1.5, -2, 3}));
  EXPECT_TRUE(table.at("prediction").observed(2));
}

TEST(PredictionsToTable, AClassificationIsTheClassAndEveryProbability) {
  const Table table =
      predictions_to_table({classification("survived", {"no", "yes"}, {0.8, 0.2, 0.3, 0.7})});
  EXPECT_EQ(table.names(),
            (std::vector<std::string>{"prediction", "probability_no", "probability_yes"}));
  EXPECT_EQ(word(table, "prediction", 0), "no");
  EXPECT_EQ(word(table, "prediction", 1), "yes");
  EXPECT_EQ(listed(table.at("probability_no").numbers()), (std::vector<double>{0.8, 0.3}));
  EXPECT_EQ(listed(table.at("probability_yes").numbers()), (std::vector<double>{0.2, 0.7}));
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

/// Predicts how many of its inputs a row has.
class CountingPredictor : public Predictor {
 public:
  explicit CountingPredictor(Schema schema) : schema_(std::move(schema)) {}
  const Schema& schema() const override { return schema_; }
  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides& = {},
                                        int = 0) const override {
    TargetPrediction counts = regression("count", std::vector<double>(table.rows(), 0.0));
    for (const Feature& feature : schema_.features) {
      const Column* const column = table.find(feature.name);
      for (std::size_t row = 0; row < table.rows(); ++row) {
        counts.values[row] += column != nullptr && column->observed(row) ? 1 : 0;
      }
    }
    return {counts};
  }

 private:
  Schema schema_;
};

CountingPredictor counting_predictor() {
  return CountingPredictor({.features = {{.name = "a"},
                                         {.name = "b", .kind = ColumnKind::kCategorical},
                                         {.name = "c", .never_missing = true}}});
}

Table three_columns() {
  return Table({test::numbers("a", {1, test::kGap, test::kReasonGap}),
                test::words("b", {"x", "y", ""}), test::numbers("c", {1, 2, 3})});
}

TEST(PredictPatterns, HidesTheColumnsOfEachPatternOnTopOfTheGapsThatAreThere) {
  const std::vector<MissingPattern> patterns = {{}, {{"a"}}, {{"a", "b"}}, {{"b"}}};
  std::vector<std::vector<double>> received;
  counting_predictor().predict_patterns(
      three_columns(), patterns,
      [&](std::size_t pattern, const std::vector<TargetPrediction>& predictions) {
        EXPECT_EQ(pattern, received.size());
        received.push_back(predictions.at(0).values);
      });
  EXPECT_EQ(received,
            (std::vector<std::vector<double>>{{3, 2, 1}, {2, 2, 1}, {1, 1, 1}, {2, 1, 1}}));
}

TEST(PredictPatterns, RefusesColumnsThatTheModelLacksOrThatAreNeverMissing) {
  const CountingPredictor predictor = counting_predictor();
  const auto message = [&](const std::string& column) {
    const std::vector<MissingPattern> patterns = {{}, {{column}}};
    bool received = false;
    const std::string found = test::message_of<ConfigError>([&] {
      predictor.predict_patterns(three_columns(), patterns,
                                 [&](std::size_t, const auto&) { received = true; });
    });
    EXPECT_FALSE(received) << "a bad pattern is found before any work";
    return found;
  };
  EXPECT_TRUE(test::contains(message("B"), "Did you mean \"b\"?")) << message("B");
  EXPECT_TRUE(test::contains(message("c"), "never missing")) << message("c");
}

TEST(NotesOnColumns, SuggestAFewNamesOfVeryMany) {
  Schema schema;
  schema.features.push_back({.name = "age"});
  std::vector<std::string> columns = {"age"};
  for (int i = 0; i < 20'000; ++i) {
    schema.features.push_back({.name = "measure_" + std::to_string(i)});
    columns.push_back("Measure_" + std::to_string(i));  // near, and no two are the same
  }
  const std::vector<std::string> notes = notes_on_columns(schema, columns, "new.csv");
  ASSERT_EQ(notes.size(), 11U);  // what it lacks, and ten suggestions
  EXPECT_TRUE(test::contains(notes[0], "lacks 20000 of the 20001 columns"));
  EXPECT_TRUE(test::contains(notes[1], "Did you mean \"Measure_0\"?"));
}

TEST(HideColumns, MakesCellsMissingWithoutAReasonAndLeavesTheRest) {
  const Table table = three_columns();
  const std::vector<std::string> columns = {"a", "b", "absent"};
  const Table hidden = hide_columns(table, columns);
  EXPECT_EQ(hidden.names(), table.names());
  for (const char* name : {"a", "b"}) {
    for (std::size_t row = 0; row < 3; ++row) {
      EXPECT_EQ(hidden.at(name).state(row), CellState::kMissing) << name << " " << row;
    }
  }
  EXPECT_EQ(listed(hidden.at("b").codes()), (std::vector<std::int32_t>{-1, -1, -1}));
  EXPECT_EQ(listed(hidden.at("c").numbers()), listed(table.at("c").numbers()));
  EXPECT_TRUE(hidden.at("c").observed(1));
}

TEST(TargetPrediction, TellsLabelsProbabilitiesAndNumbersByRow) {
  const TargetPrediction words{
      .target = {.name = "ill", .task = Task::kClassification, .classes = {"no", "yes"}},
      .values = {0.25, 0.75, 0.5, 0.5}};
  EXPECT_EQ(words.label(0), "yes");
  EXPECT_EQ(words.label(1), "no");
  EXPECT_EQ(words.probability(0, "yes"), 0.75);
  EXPECT_EQ(words.probability(0, "no"), 0.25);
  EXPECT_EQ(words.probability(1, "yes"), 0.5);
  const TargetPrediction grades{
      .target = {.name = "grade", .task = Task::kClassification, .classes = {"1", "2"}},
      .values = {0.125, 0.875}};
  EXPECT_EQ(grades.probability(0, "2.0"), 0.875);  // the same number
  const TargetPrediction dose{.target = {.name = "dose"}, .values = {3, 4.5}};
  EXPECT_EQ(dose.number(1), 4.5);
}

TEST(TargetPrediction, RefusesAWrongRowClassOrTask) {
  const TargetPrediction words{
      .target = {.name = "ill", .task = Task::kClassification, .classes = {"no", "yes"}},
      .values = {0.25, 0.75}};
  const TargetPrediction dose{.target = {.name = "dose"}, .values = {3}};
  EXPECT_THROW(words.label(1), ConfigError);
  EXPECT_THROW(words.probability(1, "yes"), ConfigError);
  EXPECT_THROW(dose.number(1), ConfigError);
  EXPECT_THROW(words.number(0), ConfigError);
  EXPECT_THROW(dose.label(0), ConfigError);
  EXPECT_THROW(dose.probability(0, "yes"), ConfigError);
  try {
    words.probability(0, "yess");
    FAIL() << "there is no such class";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "\"yess\" is not a class of \"ill\". Did you mean \"yes\"?\n"
                 "  Its classes: no, yes.");
  }
}

TEST(TargetPrediction, HasNoBestClassOfANumberOrOfARowThatIsNotThere) {
  const TargetPrediction number{.target = {.name = "y"}, .values = {1, 2}};
  EXPECT_THROW(number.best_class(0), ConfigError);
  const TargetPrediction words{
      .target = {.name = "y", .task = Task::kClassification, .classes = {"a", "b"}},
      .values = {0.2, 0.8}};
  EXPECT_EQ(words.best_class(0), 1U);
  EXPECT_THROW(words.best_class(1), ConfigError);
  const TargetPrediction nothing{.target = {.name = "y", .task = Task::kClassification}};
  EXPECT_EQ(nothing.rows(), 0U);
  EXPECT_THROW(nothing.best_class(0), ConfigError);
}

}  // namespace
}  // namespace knockout
