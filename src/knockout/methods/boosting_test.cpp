// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/boosting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/methods/methods.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using test::kGap;
using test::numbers;
using test::words;

/// What boosting with these options learned of a table, asked about another.
std::vector<TargetPrediction> boosted(const Table& training, const SchemaOptions& schema,
                                      const Table& asked, const MethodOptions& options = {}) {
  return make_method("boosting", options)
      ->fit(training, infer_schema(training, schema), {.seed = 1})
      ->predict(asked);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double spread_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

/// Numbers that take few values would be classes; with this little on top they are not.
double jitter(std::size_t row) { return 1e-5 * static_cast<double>(row); }

/// y is 3 below 0 and 7 above it. Where x is missing, which happens for a cause, y is 20.
TEST(Boosting, LearnsAStepFunctionAndABranchForGaps) {
  const Random random(1, Stream::kSimulation);
  std::vector<double> x, y;
  for (std::uint32_t row = 0; row < 600; ++row) {
    const double value = random.uniform(0, row, 0) * 2 - 1;
    const bool missing = row % 5 == 0;
    x.push_back(missing ? kGap : value);
    y.push_back((missing ? 20 : value < 0 ? 3 : 7) + jitter(row));
  }
  const Table asked({numbers("x", {-0.9, -0.1, 0.1, 0.9, kGap})});
  const auto predicted =
      boosted(Table({numbers("x", x), numbers("y", y)}), {.targets = {"y"}}, asked)[0].values;
  const std::vector<double> expected = {3, 3, 7, 7, 20};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(predicted[i], expected[i], 0.1) << "row " << i;
  }
}

TEST(Boosting, TellsCategoriesApartWhetherFewOrMany) {
  for (const int categories : {4, 50}) {  // above 32 they become one number instead of indicators
    std::vector<std::string> code;
    std::vector<double> y;
    for (int row = 0; row < 2000; ++row) {
      code.push_back("c" + std::to_string(row % categories));
      y.push_back((row % categories % 2 == 0 ? -1 : 1) + jitter(row));
    }
    const Table asked({words("code", {"c0", "c1", "c2", "c3"})});
    const auto predicted = boosted(Table({words("code", code), numbers("y", y)}),
                                   {.targets = {"y"}, .categorical = {"code"}}, asked)[0]
                               .values;
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(predicted[i], i % 2 == 0 ? -1 : 1, 0.1) << categories << ", c" << i;
    }
  }
}

TEST(Boosting, TakesAnUnseenCategoryAsMissingUnlessItIsAnError) {
  std::vector<std::string> code;
  std::vector<double> y;
  for (int row = 0; row < 300; ++row) {
    code.push_back(row % 3 == 0 ? "" : row % 3 == 1 ? "a" : "b");
    y.push_back(row % 3 * 10 + jitter(row));
  }
  const Table training({words("code", code), numbers("y", y)});
  const Table asked({words("code", {"", "never seen", "b"})});
  InferredSchema inferred =
      infer_schema(training, {.targets = {"y"}, .unseen_category = UnseenCategory::kMissing});
  const auto method = make_method("boosting", {});
  const auto predicted = method->fit(training, inferred, {})->predict(asked)[0].values;
  EXPECT_NEAR(predicted[0], 0, 0.2);
  EXPECT_EQ(predicted[1], predicted[0]);
  EXPECT_NEAR(predicted[2], 20, 0.2);
  inferred.schema.unseen_category = UnseenCategory::kError;
  EXPECT_THROW(method->fit(training, inferred, {})->predict(asked), DataError);
}

/// Where the input says nothing, the answer is the share of the class, counted by weight: of 300
/// rows "no" and 100 "yes", 100 w / (300 + 100 w).
TEST(Boosting, AnswersTheShareOfAClassByItsWeight) {
  std::vector<double> x(400, 1.0);
  std::vector<std::string> y;
  for (std::size_t row = 0; row < 400; ++row) y.push_back(row % 4 == 0 ? "yes" : "no");
  x[7] = 2;  // a column of one value would be dropped
  const Table training({numbers("x", x), words("y", y)});
  const auto probability_of_yes = [&](const ClassWeights& weights) {
    MethodOptions options;
    options.fit.class_weights = weights;
    const TargetPrediction answer = boosted(training, {.targets = {"y"}, .continuous = {"x"}},
                                            Table({numbers("x", {1.0})}), options)[0];
    return answer.values[answer.target.classes[0] == "yes" ? 0 : 1];
  };
  EXPECT_NEAR(probability_of_yes(EqualClasses{}), 0.25, 0.02);
  EXPECT_NEAR(probability_of_yes(BalancedClasses{}), 0.5, 0.02);
  EXPECT_NEAR(probability_of_yes(std::map<std::string, double>{{"yes", 9}}), 0.75, 0.02);
}

/// A number, two classes and three, whose labels are missing in different rows. A gap taken for a
/// label would pull the answers down: no observed "height" is below 100.
TEST(Boosting, LearnsSeveralTargetsEachFromTheRowsThatHaveItsLabel) {
  std::vector<double> x, height;
  std::vector<std::string> side, third;
  for (int row = 0; row < 900; ++row) {
    const int group = row % 3;
    x.push_back(group);
    height.push_back(row % 2 == 0 ? kGap : 100 + 10 * group + jitter(row));
    side.push_back(row % 5 < 2 ? "" : group == 2 ? "right" : "left");
    third.push_back(row % 7 == 0 ? "" : std::string(1, static_cast<char>('a' + group)));
  }
  const Table training(
      {numbers("x", x), numbers("height", height), words("side", side), words("third", third)});
  const auto answers =
      boosted(training, {.targets = {"height", "side", "third"}, .continuous = {"x"}},
              Table({numbers("x", {0, 1, 2})}));
  ASSERT_EQ(answers.size(), 3U);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_NEAR(answers[0].values[row], 100 + 10 * static_cast<double>(row), 0.5);
    for (const std::size_t target : {1, 2}) {
      const TargetPrediction& answer = answers[target];
      const std::string expected = target == 1 ? (row == 2 ? "right" : "left")
                                               : std::string(1, static_cast<char>('a' + row));
      double sum = 0;
      for (std::size_t c = 0; c < answer.width(); ++c) {
        const double probability = answer.values[row * answer.width() + c];
        const bool right = answer.target.classes[c] == expected;
        EXPECT_TRUE(right ? probability > 0.95 : probability < 0.05)
            << answer.target.classes[c] << ' ' << probability << " in row " << row;
        sum += probability;
      }
      EXPECT_NEAR(sum, 1.0, 1e-6);
    }
  }
}

/// The best prediction of noise is its mean. Five hundred rounds learn it by heart when nothing
/// stops them, as they do where too few rows are left to hold some out.
TEST(Boosting, StopsEarlyWhereThereIsNothingToLearn) {
  const Random random(3, Stream::kSimulation);
  std::vector<double> x, y;
  for (std::uint32_t row = 0; row < 400; ++row) {
    x.push_back(random.normal(0, row, 0));
    y.push_back(random.normal(1, row, 0));
  }
  const Table training({numbers("x", x), numbers("y", y)});
  const auto predicted = boosted(training, {.targets = {"y"}}, training)[0].values;
  EXPECT_LT(spread_of(predicted), 0.3 * spread_of(y));
  EXPECT_NEAR(mean_of(predicted), mean_of(y), 0.05);

  const Table few = training.take_rows({0, 1, 2, 3});
  const auto by_heart = boosted(few, {.targets = {"y"}, .continuous = {"x"}}, few,
                                {.boosting = {.min_child_weight = 0, .l2 = 0}})[0]
                            .values;
  for (std::size_t row = 0; row < 4; ++row) EXPECT_NEAR(by_heart[row], y[row], 1e-3);
}

}  // namespace
}  // namespace knockout
