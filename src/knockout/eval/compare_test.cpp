// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::numbers;

/// Answers with `slope` times x, or with `when_missing` where x is missing.
class LineMethod : public Method {
 public:
  LineMethod(std::string name, double slope, double when_missing)
      : name_(std::move(name)), slope_(slope), when_missing_(when_missing) {}
  std::string name() const override { return name_; }
  std::string label() const override { return name_; }
  std::string description() const override { return "a line"; }

  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext&) const override {
    {
      const std::scoped_lock lock(mutex_);
      training_rows_.insert(table.rows());
    }
    return std::make_unique<Line>(inferred.schema, slope_, when_missing_);
  }
  mutable std::mutex mutex_;
  mutable std::set<std::size_t> training_rows_;

 private:
  class Line : public Predictor {
   public:
    Line(Schema schema, double slope, double when_missing)
        : schema_(std::move(schema)), slope_(slope), when_missing_(when_missing) {}
    const Schema& schema() const override { return schema_; }
    std::vector<TargetPrediction> predict(const Table& table, const GapOverrides&,
                                          int) const override {
      TargetPrediction prediction{schema_.targets[0], {}};
      const Column& x = table.at("x");
      for (std::size_t row = 0; row < table.rows(); ++row) {
        prediction.values.push_back(x.observed(row) ? slope_ * x.number(row) : when_missing_);
      }
      return {prediction};
    }

   private:
    Schema schema_;
    double slope_, when_missing_;
  };

  std::string name_;
  double slope_, when_missing_;
};

class FailingMethod : public LineMethod {
 public:
  FailingMethod() : LineMethod("failing", 0, 0) {}
  std::unique_ptr<Predictor> fit(const Table&, const InferredSchema&,
                                 const FitContext&) const override {
    throw DataError("no such luck");
  }
};

/// y = x, whose variance is `rows`-independent: x is 0, 1, .., 9 over and over.
Table line_table(std::size_t rows) {
  std::vector<double> x, y;
  for (std::size_t row = 0; row < rows; ++row) {
    x.push_back(static_cast<double>(row % 10) + 0.25);
    y.push_back(x.back());
  }
  return Table(
      {numbers("x", x), numbers("z", std::vector<double>(x.rbegin(), x.rend())), numbers("y", y)},
      "line");
}

CompareOptions options_for(std::vector<RemovalRule> testing) {
  CompareOptions options;
  options.schema.targets = {"y"};
  options.schema.task = Task::kRegression;
  options.schema.continuous = {"x", "z"};
  options.folds = 4;
  options.testing = std::move(testing);
  return options;
}

/// A line of slope 0.5 errs by x / 2: RMSE = sqrt(mean x^2) / 2, sd(y) = sqrt(8.25).
TEST(Compare, RelativeLossIsRmseOverTheDeviation) {
  const auto half = std::make_shared<LineMethod>("half", 0.5, 0);
  const Comparison found = compare(line_table(100), {half}, options_for({RemoveNothing{}}));
  double squares = 0;
  for (int x = 0; x < 10; ++x) squares += (x + 0.25) * (x + 0.25) / 10;
  EXPECT_NEAR(found.scores[0][0].relative_loss.value, std::sqrt(squares) / 2 / std::sqrt(8.25),
              1e-12);
}

TEST(Compare, TrainsOnTheOtherFolds) {
  const auto exact = std::make_shared<LineMethod>("exact", 1, 0);
  compare(line_table(102), {exact}, options_for({RemoveNothing{}}));
  EXPECT_EQ(exact->training_rows_, (std::set<std::size_t>{76, 77}));
}

TEST(Compare, RanksAndPairsDifferences) {
  const auto exact = std::make_shared<LineMethod>("exact", 1, 4.75);
  const auto half = std::make_shared<LineMethod>("half", 0.5, 4.75);
  const auto twin = std::make_shared<LineMethod>("twin", 1, 4.75);
  const Comparison found =
      compare(line_table(400), {half, exact, twin},
              options_for({RemoveNothing{}, RemoveCells{Mechanism::kMcar, 0.5}}));
  for (const auto& scores : found.scores) {
    EXPECT_EQ(scores[0].rank, 3);
    EXPECT_EQ(scores[1].rank, 1.5) << "equal losses share the mean rank";
    EXPECT_EQ(scores[2].rank, 1.5);
    EXPECT_EQ(scores[0].difference.value, 0);
    EXPECT_NEAR(scores[1].difference.value,
                scores[1].relative_loss.value - scores[0].relative_loss.value, 1e-12);
    EXPECT_LT(scores[1].difference.high, 0) << "certainly better than the first";
  }
  EXPECT_EQ(found.scores[0][1].relative_loss.value, 0);
  // Half of the cells are answered with the mean: RMSE / sd is the root of one half.
  EXPECT_NEAR(found.scores[1][1].relative_loss.value, std::sqrt(0.5), 0.06);
}

TEST(Compare, AMethodThatFailsIsNamedAndTheOthersGoOn) {
  const auto exact = std::make_shared<LineMethod>("exact", 1, 0);
  const Comparison found = compare(line_table(40), {exact, std::make_shared<FailingMethod>()},
                                   options_for({RemoveNothing{}}));
  EXPECT_EQ(found.methods[1].failure, "no such luck");
  EXPECT_TRUE(std::isnan(found.scores[0][1].relative_loss.value));
  EXPECT_EQ(found.scores[0][0].rank, 1);
  EXPECT_TRUE(to_json(found)["results"][0]["methods"][1]["rank"].is_null());
}

TEST(Compare, AMethodWhoseAnswersAreNotFiniteFails) {
  const auto exact = std::make_shared<LineMethod>("exact", 1, 0);
  const auto odd = std::make_shared<LineMethod>("odd", std::nan(""), 0);
  const Comparison found = compare(line_table(40), {odd, exact}, options_for({RemoveNothing{}}));
  EXPECT_EQ(found.methods[0].failure, "its answers for \"y\" are not finite.");
  EXPECT_EQ(found.scores[0][1].rank, 1);
}

TEST(Compare, ThreadsDoNotChangeTheResult) {
  const auto half = std::make_shared<LineMethod>("half", 0.5, 1);
  CompareOptions options = options_for({RemoveCells{Mechanism::kMcar, 0.3}});
  options.repeats = 2;
  options.threads = 1;
  const double one = compare(line_table(90), {half}, options).scores[0][0].relative_loss.value;
  options.threads = 3;
  EXPECT_EQ(compare(line_table(90), {half}, options).scores[0][0].relative_loss.value, one);
}

/// A predictor that never changes says the same in every repeat: nothing is learned from them.
TEST(Compare, RepeatsDoNotPassForMoreData) {
  const auto half = std::make_shared<LineMethod>("half", 0.5, 0);
  CompareOptions options = options_for({RemoveNothing{}});
  const Estimate once = compare(line_table(100), {half}, options).scores[0][0].relative_loss;
  options.repeats = 5;
  const Estimate often = compare(line_table(100), {half}, options).scores[0][0].relative_loss;
  EXPECT_NEAR(often.value, once.value, 1e-12);
  EXPECT_NEAR(often.standard_error, once.standard_error, 1e-12);
}

TEST(Compare, RefusesDataThatNoMethodCanUse) {
  EXPECT_THROW(
      compare(line_table(40), {std::make_shared<FailingMethod>()}, options_for({RemoveNothing{}})),
      DataError);
}

/// MNAR on words removes the same words from both parts, MAR the same columns.
TEST(RemoveCells, TwoPartsLoseCellsByTheSameMechanism) {
  std::vector<std::string> letters;
  for (int i = 0; i < 200; ++i) letters.push_back(std::string(1, static_cast<char>('a' + i % 4)));
  const Table table({test::words("x", letters), numbers("z", std::vector<double>(200, 1.0)),
                     numbers("y", std::vector<double>(200, 2.0))});
  Schema schema;
  schema.features = {{.name = "x", .kind = ColumnKind::kCategorical}};
  const auto lost = [&](std::uint64_t seed, std::uint64_t mechanism) {
    const Table removed =
        remove_cells(table, schema, RemoveCells{Mechanism::kMnar, 0.25}, seed, mechanism);
    std::set<std::string> words;
    for (std::size_t row = 0; row < 200; ++row) {
      if (!removed.at("x").observed(row)) words.insert(letters[row]);
    }
    return words;
  };
  std::set<std::set<std::string>> different;
  for (std::uint64_t mechanism = 0; mechanism < 8; ++mechanism) {
    EXPECT_EQ(lost(1, mechanism), lost(2, mechanism));
    different.insert(lost(1, mechanism));
  }
  EXPECT_GT(different.size(), 1U);
}

TEST(RemoveCells, LeavesTargetsAlone) {
  const Table table = line_table(200);
  const Schema schema = infer_schema(table, options_for({}).schema).schema;
  const Table removed = remove_cells(table, schema, RemoveCells{Mechanism::kMcar, 0.5}, 1);
  std::size_t gone = 0;
  for (std::size_t row = 0; row < 200; ++row) {
    EXPECT_TRUE(removed.at("y").observed(row));
    gone += !removed.at("x").observed(row);
  }
  EXPECT_NEAR(static_cast<double>(gone), 100, 25);
}

TEST(RemoveCells, GroupsGoAsAWhole) {
  const Table table = line_table(200);
  SchemaOptions options = options_for({}).schema;
  options.groups = {{"both", {"x", "z"}}};
  const Table removed =
      remove_cells(table, infer_schema(table, options).schema, RemoveGroups{0.4}, 1);
  std::size_t gone = 0;
  for (std::size_t row = 0; row < 200; ++row) {
    EXPECT_EQ(removed.at("x").observed(row), removed.at("z").observed(row));
    gone += !removed.at("x").observed(row);
  }
  EXPECT_NEAR(static_cast<double>(gone), 80, 25);
}

}  // namespace
}  // namespace knockout
