// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/evaluate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

/// Predicts the sum of the inputs that are there, and whether it is positive.
class SumPredictor : public Predictor {
 public:
  explicit SumPredictor(std::vector<Target> targets)
      : schema_{.features = {{.name = "a"}, {.name = "b"}, {.name = "c"}},
                .targets = std::move(targets)} {}
  const Schema& schema() const override { return schema_; }
  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides& = {},
                                        int = 0) const override {
    std::vector<TargetPrediction> predictions;
    for (const Target& target : schema_.targets) {
      TargetPrediction& prediction = predictions.emplace_back();
      prediction.target = target;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        double sum = 0;
        for (const Feature& feature : schema_.features) {
          const Column& column = table.at(feature.name);
          if (column.observed(row)) sum += column.number(row);
        }
        if (target.task == Task::kRegression) {
          prediction.values.push_back(sum);
        } else {
          prediction.values.push_back(1 / (1 + std::exp(sum)));
          prediction.values.push_back(1 - prediction.values.back());
        }
      }
    }
    return predictions;
  }

 private:
  Schema schema_;
};

const Target kNumber{"y", Task::kRegression, {}};
const Target kClass{"k", Task::kClassification, {"no", "yes"}};

/// Columns of deviations 3, 1 and 2; y is their sum exactly, k a draw from its logistic.
constexpr std::size_t kLabelColumn = 3;  // "y" of rows_of()

Table rows_of(std::uint32_t rows) {
  const Random random(21, Stream::kSimulation);
  std::vector<double> a, b, c, y;
  std::vector<std::string> k;
  for (std::uint32_t row = 0; row < rows; ++row) {
    a.push_back(3 * random.normal(0, row, 0));
    b.push_back(random.normal(0, row, 1));
    c.push_back(2 * random.normal(0, row, 2));
    y.push_back(a[row] + b[row] + c[row]);
    k.push_back(random.uniform(1, row, 0) < 1 / (1 + std::exp(-y[row])) ? "yes" : "no");
  }
  return Table({test::numbers("a", a), test::numbers("b", b), test::numbers("c", c),
                test::numbers("y", y), test::words("k", k)},
               "rows.csv");
}

struct MeanAndError {
  double mean, standard_error;
};
MeanAndError textbook(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  const double rows = static_cast<double>(values.size()), mean = sum / rows;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (rows - 1) / rows)};
}

TEST(Evaluate, ScoresEveryPatternByWhatItHides) {
  const SumPredictor predictor({kNumber});
  const Table table = rows_of(50);
  const Evaluation found = evaluate(predictor, table, patterns_up_to(predictor.schema(), 2));
  ASSERT_EQ(found.patterns.size(), 7u);
  EXPECT_EQ(found.rows, 50u);
  for (const PatternScores& scored : found.patterns) {
    std::vector<double> squares(50, 0.0);  // what is hidden is the error
    for (std::size_t row = 0; row < 50; ++row) {
      double error = 0;
      for (const std::string& column : scored.pattern.pattern.columns)
        error += table.at(column).number(row);
      squares[row] = error * error;
    }
    const Estimate& mse = scored.targets.at(0).at(Metric::kMse);
    EXPECT_NEAR(mse.value, textbook(squares).mean, 1e-9) << scored.pattern.name;
    EXPECT_NEAR(mse.standard_error, textbook(squares).standard_error, 1e-9);
  }
}

TEST(Evaluate, LevelsAreMeansOverPatternsWithTheRowsKeptTogether) {
  const SumPredictor predictor({kNumber});
  const Table table = rows_of(40);
  const Evaluation found = evaluate(predictor, table, patterns_up_to(predictor.schema(), 3));
  ASSERT_EQ(found.levels.size(), 4u);
  std::vector<double> mean_squares;
  for (std::size_t row = 0; row < 40; ++row) {
    const auto square = [&](const char* column) {
      return table.at(column).number(row) * table.at(column).number(row);
    };
    mean_squares.push_back((square("a") + square("b") + square("c")) / 3);
  }
  const LevelScores& ones = found.levels[1];
  EXPECT_EQ(ones.missing, 1u);
  EXPECT_EQ(ones.patterns, 3u);
  EXPECT_NEAR(ones.targets[0].at(Metric::kMse).value, textbook(mean_squares).mean, 1e-9);
  EXPECT_NEAR(ones.targets[0].at(Metric::kMse).standard_error,
              textbook(mean_squares).standard_error, 1e-9);
  EXPECT_NEAR(found.levels[0].targets[0].at(Metric::kMse).value, 0.0, 1e-20);
}

TEST(Evaluate, CostsArePairedDifferencesAndTheHighestComesFirst) {
  const SumPredictor predictor({kClass, kNumber});
  const Table table = rows_of(300);
  const Evaluation found = evaluate(predictor, table, single_patterns(predictor.schema()));
  ASSERT_EQ(found.costs.size(), 3u);
  EXPECT_EQ(found.costs[0].unit, "a");
  EXPECT_EQ(found.costs[1].unit, "c");
  EXPECT_EQ(found.costs[2].unit, "b");
  std::vector<double> differences;
  const auto log_loss = [&](const std::vector<std::string>& hidden, std::size_t row) {
    const auto prediction = predictor.predict(hide_columns(table, hidden))[0];
    const std::size_t label = labels_of(table, kClass)[row] == 1.0 ? 1 : 0;
    return -std::log(prediction.values[2 * row + label]);
  };
  for (std::size_t row = 0; row < 300; ++row) {
    differences.push_back(log_loss({"a"}, row) - log_loss({}, row));
  }
  const Estimate& cost = found.costs[0].differences[0].at(Metric::kLogLoss);
  EXPECT_NEAR(cost.value, textbook(differences).mean, 1e-9);
  EXPECT_NEAR(cost.standard_error, textbook(differences).standard_error, 1e-9);
}

TEST(Evaluate, CalibrationOfALevelCountsTheRowsOfAllItsPatterns) {
  const SumPredictor predictor({kNumber, kClass});
  const Evaluation found = evaluate(predictor, rows_of(200), single_patterns(predictor.schema()));
  EXPECT_TRUE(found.levels[0].calibration[0].empty()) << "a number is not calibrated";
  for (const auto& [level, rows] : {std::pair{0, 200u}, {1, 600u}}) {
    std::size_t count = 0;
    for (const CalibrationBin& bin : found.levels[level].calibration[1]) count += bin.count;
    EXPECT_EQ(count, rows);
  }
}

TEST(Evaluate, GivesTheSameNumbersForAnyThreadsAndAnyBatch) {
  const SumPredictor predictor({kNumber, kClass});
  const PatternList list = patterns_up_to(predictor.schema(), 3);
  const auto as_text = [&](int threads) {
    auto json = to_json(evaluate(predictor, rows_of(500), list, {.threads = threads}));
    json.erase("seconds");
    return json.dump();
  };
  EXPECT_EQ(as_text(1), as_text(3));
}

TEST(Evaluate, LeavesOutRowsWithoutALabelAndSaysSo) {
  Table table = rows_of(60);
  const SumPredictor predictor({kNumber});
  std::vector<std::size_t> labelled;
  for (std::size_t row = 0; row < 60; ++row) {
    if (row % 3 != 0) labelled.push_back(row);
  }
  const Table without = table.take_rows(labelled);
  for (std::size_t row = 0; row < 60; row += 3) table.set_missing(row, kLabelColumn);
  const PatternList list = single_patterns(predictor.schema());
  const Evaluation found = evaluate(predictor, table, list);
  const Evaluation expected = evaluate(predictor, without, list);
  EXPECT_DOUBLE_EQ(found.levels[1].targets[0].at(Metric::kMse).high,
                   expected.levels[1].targets[0].at(Metric::kMse).high);
  EXPECT_TRUE(test::any_contains(found.notes, "20 of 60 rows have no label of \"y\""));
  EXPECT_TRUE(expected.notes.empty());
}

TEST(Evaluate, RepeatsTheNotesOfThePatternsAndNamesGapsInTheData) {
  const SumPredictor predictor({kNumber});
  Table table = rows_of(10);
  table.set_missing(0, 0);
  PatternList list = single_patterns(predictor.schema());
  list.notes = {"some were drawn"};
  const Evaluation found = evaluate(predictor, table, list);
  EXPECT_EQ(found.notes.at(0), "some were drawn");
  EXPECT_TRUE(test::any_contains(found.notes, "3.3 % of the input cells")) << found.notes.back();
}

TEST(Evaluate, NeedsLabels) {
  const SumPredictor predictor({kNumber});
  Table table = rows_of(5);
  const PatternList list = single_patterns(predictor.schema());
  for (std::size_t row = 0; row < 5; ++row) table.set_missing(row, kLabelColumn);
  EXPECT_TRUE(test::contains(test::message_of<DataError>([&] { evaluate(predictor, table, list); }),
                             "rows.csv, column \"y\": no row has a label"));
  table.remove_column("y");
  EXPECT_TRUE(test::contains(test::message_of<DataError>([&] { evaluate(predictor, table, list); }),
                             "rows.csv: there is no column \"y\""));
}

TEST(Evaluate, ReportsProgressUpToTheEnd) {
  const SumPredictor predictor({kNumber});
  std::vector<double> shares;
  evaluate(predictor, rows_of(5), patterns_up_to(predictor.schema(), 3),
           {.progress = [&](double share) { shares.push_back(share); }});
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1.0);
}

TEST(EvaluationJson, HoldsTheNumbersThatItsMeansComeFrom) {
  const SumPredictor predictor({kClass, kNumber});
  const auto json =
      to_json(evaluate(predictor, rows_of(80), patterns_up_to(predictor.schema(), 2)));
  for (const auto& level : json["levels"]) {
    for (std::size_t t = 0; t < 2; ++t) {
      for (const auto& [metric, estimate] : level["targets"][t]["metrics"].items()) {
        double sum = 0, count = 0;
        for (const auto& pattern : json["patterns"]) {
          if (pattern["missing"] != level["missing"]) continue;
          sum += pattern["targets"][t]["metrics"][metric]["value"].get<double>();
          count += 1;
        }
        EXPECT_EQ(level["patterns"], count);
        EXPECT_NEAR(estimate["value"].get<double>(), sum / count, 1e-12) << metric;
      }
    }
  }
  EXPECT_EQ(json["targets"][0]["classes"].size(), 2u);
  EXPECT_EQ(json["patterns"][4]["columns"].dump(), R"(["a","b"])");
  EXPECT_GT(json["levels"][0]["targets"][0]["calibration"].size(), 1u);
  EXPECT_FALSE(json["levels"][0]["targets"][1].contains("calibration"));
}

TEST(EvaluationJson, SaysNullWhereTheDataDecideNothing) {
  const SumPredictor predictor({kNumber});
  const auto json = to_json(evaluate(predictor, rows_of(1), patterns_up_to(predictor.schema(), 0)));
  const auto& metrics = json["levels"][0]["targets"][0]["metrics"];
  EXPECT_TRUE(metrics["r2"]["value"].is_null());
  EXPECT_TRUE(metrics["mse"]["low"].is_null());
  EXPECT_NEAR(metrics["mse"]["value"].get<double>(), 0.0, 1e-20);
}

/// Leaves out the last pattern.
class ForgetfulPredictor : public SumPredictor {
 public:
  using SumPredictor::SumPredictor;
  void predict_patterns(const Table& table, std::span<const MissingPattern> patterns,
                        const PatternReceiver& receive, const GapOverrides& overrides,
                        int threads) const override {
    SumPredictor::predict_patterns(table, patterns.first(patterns.size() - 1), receive, overrides,
                                   threads);
  }
};

TEST(Evaluate, RefusesAPredictorWithoutTargetsOrWithoutAllAnswers) {
  const Table rows = rows_of(20);
  const PatternList patterns = patterns_up_to(SumPredictor({kNumber}).schema(), 1);
  EXPECT_THROW(evaluate(SumPredictor({}), rows, patterns), ConfigError);
  EXPECT_THROW(evaluate(ForgetfulPredictor({kNumber}), rows, patterns), ConfigError);
}

TEST(TargetScores, NamesAMetricThatIsNotThere) {
  const TargetScores scores{.metrics = {Metric::kMse, Metric::kMae}, .estimates = {{}, {}}};
  EXPECT_NO_THROW(scores.at(Metric::kMae));
  try {
    scores.at(Metric::kAccuracy);
    FAIL() << "no exception";
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(to_string(Metric::kAccuracy)), std::string::npos) << message;
    EXPECT_NE(message.find(to_string(Metric::kMse)), std::string::npos) << message;
  }
  EXPECT_THROW(TargetScores{}.at(Metric::kMse), ConfigError);
}

}  // namespace
}  // namespace knockout
