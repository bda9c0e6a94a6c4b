// SPDX-License-Identifier: Apache-2.0
#include "knockout/eval/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/data/csv_reader.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TargetPrediction numbers(std::vector<double> values) {
  return {Target{"y", Task::kRegression, {}}, std::move(values)};
}

TargetPrediction probabilities(std::size_t classes, std::vector<double> values) {
  Target target{"y", Task::kClassification, {}};
  for (std::size_t c = 0; c < classes; ++c) target.classes.push_back(std::to_string(c));
  return {std::move(target), std::move(values)};
}

/// Two classes, from the probabilities of the second.
TargetPrediction binary(const std::vector<double>& of_second) {
  std::vector<double> values;
  for (const double probability : of_second) {
    values.push_back(1 - probability);
    values.push_back(probability);
  }
  return probabilities(2, values);
}

double value_of(Metric metric, const TargetPrediction& prediction,
                const std::vector<double>& labels) {
  return score(metric, prediction, labels).value;
}

// --- values: the expected numbers are what scikit-learn 1.2.1 prints ---

TEST(Metrics, OfARegressionAgreeWithScikitLearn) {
  const std::vector<double> labels = {3, -0.5, 2, 7, 4.2};
  const TargetPrediction prediction = numbers({2.5, 0, 2, 8, 3.9});
  EXPECT_NEAR(value_of(Metric::kMse, prediction, labels), 0.318, 1e-12);
  EXPECT_NEAR(value_of(Metric::kRmse, prediction, labels), 0.5639148871948674, 1e-12);
  EXPECT_NEAR(value_of(Metric::kMae, prediction, labels), 0.46, 1e-12);
  EXPECT_NEAR(value_of(Metric::kR2, prediction, labels), 0.9480256276150627, 1e-12);
}

TEST(Metrics, OfTwoClassesAgreeWithScikitLearn) {
  const std::vector<double> labels = {0, 1, 1, 0, 1, 0, 1, 1, 0, 0};
  const TargetPrediction prediction = binary({.1, .8, .35, .35, .9, .6, .55, .8, .2, .45});
  EXPECT_NEAR(value_of(Metric::kLogLoss, prediction, labels), 0.4472721459234809, 1e-12);
  EXPECT_NEAR(value_of(Metric::kAuroc, prediction, labels), 0.86, 1e-12) << "ties count half";
  EXPECT_NEAR(value_of(Metric::kF1, prediction, labels), 0.8, 1e-12);
  EXPECT_NEAR(value_of(Metric::kBrier, prediction, labels), 0.145, 1e-12);
  EXPECT_NEAR(value_of(Metric::kAccuracy, prediction, labels), 0.8, 1e-12);
  EXPECT_NEAR(value_of(Metric::kErrorRate, prediction, labels), 0.2, 1e-12);
}

TEST(Metrics, OfThreeClassesAgreeWithScikitLearn) {
  const std::vector<double> labels = {0, 1, 2, 2, 1, 0, 1};
  const TargetPrediction prediction = probabilities(
      3, {.7, .2, .1, .3, .4, .3, .2, .2, .6, .1, .5, .4, .25, .5, .25, .4, .35, .25, .5, .3, .2});
  EXPECT_NEAR(value_of(Metric::kLogLoss, prediction, labels), 0.7876418211732956, 1e-12);
  EXPECT_NEAR(value_of(Metric::kAuroc, prediction, labels), 0.8694444444444445, 1e-12);
  EXPECT_NEAR(value_of(Metric::kF1, prediction, labels), 0.7111111111111111, 1e-12);
  EXPECT_NEAR(value_of(Metric::kAccuracy, prediction, labels), 0.7142857142857143, 1e-12);
  EXPECT_NEAR(value_of(Metric::kBrier, prediction, labels), 0.4628571428571429, 1e-12);
}

TEST(Metrics, CalibrationErrorIsTheMeanGapOfItsBins) {
  // Bins of a fifteenth: 0.1 and 0.12 share one (0.0667 to 0.1333), 0.9 has its own.
  const TargetPrediction prediction = binary({.1, .12, .9, .9});
  const std::vector<double> labels = {0, 1, 1, 1};
  const double first = std::abs((.1 + .12) / 2 - .5), second = std::abs(.9 - 1.0);
  EXPECT_NEAR(value_of(Metric::kCalibrationError, prediction, labels), (first + second) / 2, 1e-12);
  const std::vector<CalibrationBin> bins = calibration_bins(prediction, labels);
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_NEAR(bins[0].mean_probability, .11, 1e-12);
  EXPECT_NEAR(bins[0].frequency, .5, 1e-12);
  EXPECT_EQ(bins[0].count, 2u);
  EXPECT_NEAR(bins[1].mean_probability, .9, 1e-12);
  EXPECT_EQ(bins[1].frequency, 1.0);
}

TEST(Metrics, CalibrationOfSeveralClassesLooksAtTheTopOne) {
  const TargetPrediction prediction = probabilities(3, {.8, .1, .1, .1, .1, .8, .2, .5, .3});
  const auto bins = calibration_bins(prediction, std::vector<double>{0, 0, 1});
  ASSERT_EQ(bins.size(), 2u);
  EXPECT_NEAR(bins[0].mean_probability, .5, 1e-12);
  EXPECT_EQ(bins[0].frequency, 1.0);
  EXPECT_NEAR(bins[1].mean_probability, .8, 1e-12);
  EXPECT_EQ(bins[1].frequency, 0.5);
}

TEST(Metrics, OneCertainErrorDoesNotMakeTheLogLossInfinite) {
  EXPECT_NEAR(value_of(Metric::kLogLoss, binary({0.0, 0.5}), {1, 1}),
              (-std::log(1e-15) - std::log(0.5)) / 2, 1e-12);
}

TEST(Metrics, RowsWithoutALabelDoNotCount) {
  const std::vector<double> labels = {1, kNan, 3};
  const ScoredRows scored = score(Metric::kMse, numbers({2, 100, 5}), labels);
  EXPECT_EQ(scored.value, 2.5);
  EXPECT_EQ(scored.labelled, 2u);
  EXPECT_EQ(scored.influence, (std::vector<double>{-1.5, 0, 1.5}));
  EXPECT_EQ(value_of(Metric::kAuroc, binary({.9, .1, .2}), {1, kNan, 0}), 1.0);
  EXPECT_EQ(value_of(Metric::kF1, binary({.9, .9, .2}), {1, kNan, 0}), 1.0);
  EXPECT_EQ(calibration_bins(binary({.9, .1, .2}), std::vector<double>{1, kNan, kNan}).size(), 1u);
}

TEST(Metrics, AreNotANumberWhereTheDataDecideNothing) {
  const auto undecided = [](Metric metric, const TargetPrediction& prediction,
                            const std::vector<double>& labels) {
    const Estimate found = estimate(score(metric, prediction, labels));
    return std::isnan(found.value) && std::isnan(found.low) && std::isnan(found.high);
  };
  EXPECT_TRUE(undecided(Metric::kMse, numbers({1}), {kNan}));
  EXPECT_TRUE(undecided(Metric::kMse, numbers({}), {}));
  EXPECT_TRUE(undecided(Metric::kR2, numbers({1, 2}), {3, 3}));
  EXPECT_TRUE(undecided(Metric::kAuroc, binary({.1, .2}), {1, 1}));
  EXPECT_TRUE(undecided(Metric::kF1, binary({.1, .2}), {0, 0}));
  EXPECT_FALSE(undecided(Metric::kAuroc, probabilities(3, {.1, .2, .7, .8, .1, .1}), {0, 2}))
      << "the third class has no say";
  const Estimate single = estimate(score(Metric::kMse, numbers({1}), std::vector<double>{3}));
  EXPECT_EQ(single.value, 4.0);
  EXPECT_TRUE(std::isnan(single.low)) << "one row tells nothing about the spread";
}

TEST(Metrics, NamesAreUniqueAndTheFirstIsTheOneThatComparisonsRankBy) {
  EXPECT_EQ(metrics_of(Task::kRegression).front(), Metric::kMse);
  EXPECT_EQ(metrics_of(Task::kClassification).front(), Metric::kLogLoss);
  EXPECT_EQ(to_string(Metric::kCalibrationError), "calibration_error");
  EXPECT_EQ(label_of(Metric::kAuroc), "AUROC");
  EXPECT_TRUE(lower_is_better(Metric::kBrier));
  EXPECT_FALSE(lower_is_better(Metric::kR2));
}

// --- labels ---

TEST(LabelsOf, ReadsNumbersClassesAndGaps) {
  const Table table({test::numbers("y", {1.5, test::kGap, -2}), test::words("k", {"b", "", "a"}),
                     test::numbers("code", {2, 1, test::kGap})});
  const auto numbers = labels_of(table, {"y", Task::kRegression, {}});
  EXPECT_EQ(numbers[0], 1.5);
  EXPECT_TRUE(std::isnan(numbers[1]));
  const auto words = labels_of(table, {"k", Task::kClassification, {"a", "b"}});
  EXPECT_EQ(words[0], 1.0);
  EXPECT_TRUE(std::isnan(words[1]));
  EXPECT_EQ(words[2], 0.0);
  EXPECT_EQ(labels_of(table, {"code", Task::kClassification, {"1", "2"}})[0], 1.0);
}

TEST(LabelsOf, NamesTheLineOfAnUnknownLabelAndTheColumnThatIsNotThere) {
  const Table table = read_csv_text("x,kind\n1,apple\n2,banana\n3,cherry\n", "fruit.csv");
  const auto message = [&](const Target& target) {
    return test::message_of<DataError>([&] { labels_of(table, target); });
  };
  const std::string unknown = message({"kind", Task::kClassification, {"apple", "banana"}});
  EXPECT_TRUE(test::contains(unknown, "fruit.csv:4")) << unknown;
  EXPECT_TRUE(test::contains(unknown, "cherry")) << unknown;
  const std::string word = message({"kind", Task::kRegression, {}});
  EXPECT_TRUE(test::contains(word, "fruit.csv:2") && test::contains(word, "number")) << word;
  const std::string absent = message({"kinds", Task::kRegression, {}});
  EXPECT_TRUE(test::contains(absent, "no column \"kinds\"")) << absent;
  EXPECT_TRUE(test::contains(absent, "Did you mean \"kind\"?")) << absent;
}

// --- intervals ---

TEST(Estimate, OfAMeanIsTheTextbookInterval) {
  // Squared errors 1, 4, 9: mean 14/3, sample deviation sqrt(49/3).
  const Estimate found =
      estimate(score(Metric::kMse, numbers({1, 2, 3}), std::vector<double>{0, 0, 0}));
  const double standard_error = std::sqrt(49.0 / 3.0 / 3.0);
  EXPECT_NEAR(found.standard_error, standard_error, 1e-12);
  EXPECT_NEAR(found.high, 14.0 / 3.0 + 1.959964 * standard_error, 1e-5);
  EXPECT_NEAR(found.low, 14.0 / 3.0 - 1.959964 * standard_error, 1e-5);
}

TEST(Estimate, EndsWhereTheMetricDoes) {
  const std::vector<double> labels = {0, 1, 1, 1};
  const Estimate accuracy = estimate(score(Metric::kAccuracy, binary({.9, .9, .9, .9}), labels));
  EXPECT_EQ(accuracy.value, .75);
  EXPECT_EQ(accuracy.high, 1.0);
  const Estimate error = estimate(score(Metric::kMse, numbers({5, 1, 1, 1}), labels));
  EXPECT_EQ(error.low, 0.0);
  const Estimate difference =
      difference_estimate(score(Metric::kAccuracy, binary({.1, .9, .9, .1}), labels),
                          score(Metric::kAccuracy, binary({.9, .9, .1, .9}), labels));
  EXPECT_GE(difference.low, -1.0);
  EXPECT_LT(difference.low, 0.0) << "a difference may be negative";
}

TEST(Estimate, OfMeansAndDifferencesKeepsTheRowsTogether) {
  const std::vector<double> labels = {0, 0, 0, 0};
  const ScoredRows a = score(Metric::kMse, numbers({1, 2, 3, 4}), labels);
  const ScoredRows b = score(Metric::kMse, numbers({2, 1, 2, 5}), labels);
  // The same from the per-row means and differences of the squared errors.
  const std::vector<double> means = {2.5, 2.5, 6.5, 20.5}, differences = {-3, 3, 5, -9};
  const auto textbook = [](const std::vector<double>& values) {
    const double rows = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / rows;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    return std::pair(mean, std::sqrt(squares / (rows - 1) / rows));
  };
  MeanScore of_both;
  of_both.add(a);
  of_both.add(b);
  const Estimate mean = of_both.estimate();
  EXPECT_NEAR(mean.value, textbook(means).first, 1e-12);
  EXPECT_NEAR(mean.standard_error, textbook(means).second, 1e-12);
  const Estimate difference = difference_estimate(a, b);
  EXPECT_NEAR(difference.value, textbook(differences).first, 1e-12);
  EXPECT_NEAR(difference.standard_error, textbook(differences).second, 1e-12);
  EXPECT_TRUE(std::isnan(MeanScore().estimate().value));
}

TEST(Estimate, OfTheAreaUnderTheCurveIsDeLongs) {
  const Random random(5, Stream::kSimulation);
  std::vector<double> probabilities, labels;
  for (std::uint32_t row = 0; row < 200; ++row) {
    labels.push_back(random.uniform(0, row, 0) < 0.3 ? 1 : 0);
    probabilities.push_back(random.below(20, 1, row, 0) / 20.0);  // with ties
  }
  // By the definition: every pair of a positive and a negative row.
  std::vector<double> of_positive, of_negative;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    double sum = 0, count = 0;
    for (std::size_t j = 0; j < labels.size(); ++j) {
      if (labels[j] == labels[i]) continue;
      const double high = labels[i] == 1 ? probabilities[i] : probabilities[j];
      const double low = labels[i] == 1 ? probabilities[j] : probabilities[i];
      sum += high > low ? 1.0 : high == low ? 0.5 : 0.0;
      count += 1;
    }
    (labels[i] == 1 ? of_positive : of_negative).push_back(sum / count);
  }
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double area = mean(of_positive);
  const auto variance = [&](const std::vector<double>& values) {
    double squares = 0;
    for (const double value : values) squares += (value - area) * (value - area);
    const double count = static_cast<double>(values.size());
    return squares / count / count;
  };
  const Estimate found = estimate(score(Metric::kAuroc, binary(probabilities), labels));
  EXPECT_NEAR(found.value, area, 1e-12);
  const double rows = 200;
  EXPECT_NEAR(found.standard_error,
              std::sqrt((variance(of_positive) + variance(of_negative)) * rows / (rows - 1)),
              1e-12);
}

// --- relative loss ---

double relative_loss(const TargetPrediction& prediction, const std::vector<double>& labels) {
  return score_relative_loss(prediction, labels).value;
}

TEST(RelativeLoss, IsOneForTheBaseRateAndZeroForTheTruth) {
  const std::vector<double> labels = {1, 3, 5, kNan, 7};
  EXPECT_NEAR(relative_loss(numbers({4, 4, 4, 0, 4}), labels), 1.0, 1e-12);
  EXPECT_NEAR(relative_loss(numbers({1, 3, 5, 0, 7}), labels), 0.0, 1e-12);
  EXPECT_EQ(relative_loss(numbers({1e6, 3, 5, 0, 7}), labels), 10.0);
  const std::vector<double> classes = {0, 1, 1, 1};
  EXPECT_NEAR(relative_loss(binary({.75, .75, .75, .75}), classes), 1.0, 1e-12);
  EXPECT_NEAR(relative_loss(binary({0, 1, 1, 1}), classes), 0.0, 1e-12);
  EXPECT_EQ(relative_loss(numbers({1, 2}), std::vector<double>{3, 3}), 10.0);
  EXPECT_EQ(relative_loss(numbers({3, 3}), std::vector<double>{3, 3}), 0.0);
  EXPECT_TRUE(std::isnan(relative_loss(numbers({3}), std::vector<double>{kNan})));
}

TEST(Score, RefusesAnswersThatAreNotFinite) {
  const std::vector<double> labels = {0, 1, 0};
  for (const double odd : {kNan, std::numeric_limits<double>::infinity()}) {
    for (std::size_t row = 0; row < 3; ++row) {
      std::vector<double> values = {0.1, 0.2, 0.3};
      values[row] = odd;
      const TargetPrediction number = numbers(values), two = binary(values);
      for (const Metric metric : metrics_of(Task::kRegression)) {
        EXPECT_THROW(score(metric, number, labels), ConfigError) << odd;
      }
      for (const Metric metric : metrics_of(Task::kClassification)) {
        EXPECT_THROW(score(metric, two, labels), ConfigError) << odd;
      }
      EXPECT_THROW(calibration_bins(two, labels), ConfigError) << odd;
    }
  }
}

TEST(Score, RefusesWhatDoesNotFitThePrediction) {
  const TargetPrediction number{.target = {.name = "y"}, .values = {1, 2}};
  const TargetPrediction words{
      .target = {.name = "y", .task = Task::kClassification, .classes = {"a", "b"}},
      .values = {0.2, 0.8, 0.6, 0.4}};
  const std::vector<double> two = {0, 1}, three = {0, 1, 1}, unknown = {0, 2}, halves = {0, 0.5};
  EXPECT_THROW(score(Metric::kAccuracy, number, two), ConfigError);
  EXPECT_THROW(score(Metric::kMse, words, two), ConfigError);
  EXPECT_THROW(score(Metric::kMse, number, three), ConfigError);
  EXPECT_THROW(score(Metric::kLogLoss, words, three), ConfigError);
  EXPECT_THROW(score(Metric::kLogLoss, words, unknown), ConfigError);
  EXPECT_THROW(score(Metric::kLogLoss, words, halves), ConfigError);
  EXPECT_THROW(calibration_bins(number, two), ConfigError);
  EXPECT_THROW(calibration_bins(words, three), ConfigError);
}

}  // namespace
}  // namespace knockout
