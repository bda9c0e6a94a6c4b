// SPDX-License-Identifier: Apache-2.0
// The intervals mean what they say: influences are those of the jackknife, and intervals of many
// simulated samples hold the truth, which is known in closed form, as often as they claim.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "knockout/base/random.h"
#include "knockout/eval/metrics.h"

namespace knockout {
namespace {

struct Sample {
  TargetPrediction prediction;
  std::vector<double> labels;
};

// --- regression: y = x + e, predicted as 0.8 x + 0.1; x and e standard normal ---

Sample draw_regression(std::uint64_t simulation, std::uint32_t rows) {
  const Random random(11, Stream::kSimulation);
  Sample sample{{Target{"y", Task::kRegression, {}}, {}}, {}};
  for (std::uint32_t row = 0; row < rows; ++row) {
    const double x = random.normal(simulation, row, 0), e = random.normal(simulation, row, 1);
    sample.labels.push_back(x + e);
    sample.prediction.values.push_back(0.8 * x + 0.1);
  }
  return sample;
}

/// The error is normal with mean -0.1 and variance 1.04.
std::map<Metric, double> regression_truth() {
  const double mean = -0.1, stddev = std::sqrt(1.04);
  const double folded =
      stddev * std::sqrt(2 / std::numbers::pi) * std::exp(-mean * mean / (2 * stddev * stddev)) +
      mean * std::erf(mean / (stddev * std::numbers::sqrt2));
  return {{Metric::kMse, 1.05},
          {Metric::kRmse, std::sqrt(1.05)},
          {Metric::kMae, folded},
          {Metric::kR2, 1 - 1.05 / 2}};
}

// --- classification: a few kinds of rows, each with what is predicted and what is true ---

struct Kind {
  double share;
  std::vector<double> predicted, truth;
};

/// Predictions are off by more than chance in every bin, since a calibration error of about zero
/// has no normal limit.
std::vector<Kind> two_classes() {
  return {{.2, {.9, .1}, {.75, .25}},
          {.2, {.7, .3}, {.5, .5}},
          {.2, {.55, .45}, {.4, .6}},
          {.25, {.3, .7}, {.5, .5}},
          {.15, {.05, .95}, {.25, .75}}};
}

std::vector<Kind> three_classes() {
  return {{.3, {.8, .15, .05}, {.55, .3, .15}},
          {.25, {.3, .5, .2}, {.3, .3, .4}},
          {.25, {.25, .35, .4}, {.15, .25, .6}},
          {.2, {.1, .8, .1}, {.2, .55, .25}}};
}

Sample draw_classes(const std::vector<Kind>& kinds, std::uint64_t simulation, std::uint32_t rows) {
  const Random random(12, Stream::kSimulation);
  const auto choose = [](const auto& share_of, double uniform) {
    std::size_t chosen = 0;
    for (double sum = share_of(0); sum < uniform; sum += share_of(chosen)) ++chosen;
    return chosen;
  };
  Sample sample{{Target{"y", Task::kClassification, {}}, {}}, {}};
  for (std::size_t c = 0; c < kinds[0].truth.size(); ++c) {
    sample.prediction.target.classes.push_back(std::to_string(c));
  }
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Kind& kind = kinds[choose([&](std::size_t k) { return kinds[k].share; },
                                    random.uniform(simulation, row, 0))];
    sample.labels.push_back(static_cast<double>(
        choose([&](std::size_t c) { return kind.truth[c]; }, random.uniform(simulation, row, 1))));
    auto& values = sample.prediction.values;
    values.insert(values.end(), kind.predicted.begin(), kind.predicted.end());
  }
  return sample;
}

double auroc_of_class(const std::vector<Kind>& kinds, std::size_t c) {
  double wins = 0, positives = 0;
  for (const Kind& a : kinds) {
    positives += a.share * a.truth[c];
    for (const Kind& b : kinds) {
      const double pairs = a.share * a.truth[c] * b.share * (1 - b.truth[c]);
      const double difference = a.predicted[c] - b.predicted[c];
      wins += pairs * (difference > 0 ? 1.0 : difference == 0 ? 0.5 : 0.0);
    }
  }
  return wins / (positives * (1 - positives));
}

std::size_t best_of(const Kind& kind) {
  return static_cast<std::size_t>(std::max_element(kind.predicted.begin(), kind.predicted.end()) -
                                  kind.predicted.begin());
}

double f1_of_class(const std::vector<Kind>& kinds, std::size_t c) {
  double hits = 0, named = 0;
  for (const Kind& kind : kinds) {
    const double predicted = best_of(kind) == c ? 1 : 0;
    hits += kind.share * predicted * kind.truth[c];
    named += kind.share * (predicted + kind.truth[c]);
  }
  return 2 * hits / named;
}

std::map<Metric, double> classification_truth(const std::vector<Kind>& kinds) {
  const std::size_t classes = kinds[0].truth.size();
  std::map<Metric, double> truth;
  std::map<int, double> gap_of_bin;
  for (const Kind& kind : kinds) {
    const std::size_t best = best_of(kind);
    truth[Metric::kAccuracy] += kind.share * kind.truth[best];
    truth[Metric::kErrorRate] += kind.share * (1 - kind.truth[best]);
    for (std::size_t c = 0; c < classes; ++c) {
      truth[Metric::kLogLoss] -= kind.share * kind.truth[c] * std::log(kind.predicted[c]);
      const double p = kind.predicted[c], q = kind.truth[c];
      if (classes > 2 || c == 1)
        truth[Metric::kBrier] += kind.share * (q * (1 - p) * (1 - p) + (1 - q) * p * p);
    }
    const std::size_t claimed = classes == 2 ? 1 : best;
    gap_of_bin[static_cast<int>(15 * kind.predicted[claimed])] +=
        kind.share * (kind.predicted[claimed] - kind.truth[claimed]);
  }
  for (const auto& [bin, gap] : gap_of_bin) truth[Metric::kCalibrationError] += std::abs(gap);
  for (std::size_t c = classes == 2 ? 1 : 0; c < classes; ++c) {
    const double share = classes == 2 ? 1.0 : 1.0 / static_cast<double>(classes);
    truth[Metric::kAuroc] += share * auroc_of_class(kinds, c);
    truth[Metric::kF1] += share * f1_of_class(kinds, c);
  }
  return truth;
}

// --- the claims ---

template <typename Draw>
void expect_coverage(const std::map<Metric, double>& truth, const Draw& draw) {
  constexpr int kSimulations = 1000;
  std::map<Metric, int> covered;
  std::map<Metric, double> sums;
  for (int simulation = 0; simulation < kSimulations; ++simulation) {
    const Sample sample = draw(static_cast<std::uint64_t>(simulation));
    for (const auto& [metric, value] : truth) {
      const Estimate found = estimate(score(metric, sample.prediction, sample.labels));
      covered[metric] += found.low <= value && value <= found.high ? 1 : 0;
      sums[metric] += found.value;
    }
  }
  for (const auto& [metric, value] : truth) {
    EXPECT_NEAR(sums[metric] / kSimulations, value, 0.02) << to_string(metric);
    EXPECT_GE(covered[metric], 0.92 * kSimulations) << to_string(metric);
    EXPECT_LE(covered[metric], 0.98 * kSimulations) << to_string(metric);
  }
}

TEST(Coverage, OfTheIntervalsOfARegressionIs95Percent) {
  ASSERT_EQ(regression_truth().size(), metrics_of(Task::kRegression).size());
  expect_coverage(regression_truth(),
                  [](std::uint64_t simulation) { return draw_regression(simulation, 300); });
}

TEST(Coverage, OfTheIntervalsOfTwoClassesIs95Percent) {
  const auto truth = classification_truth(two_classes());
  ASSERT_EQ(truth.size(), metrics_of(Task::kClassification).size());
  expect_coverage(
      truth, [](std::uint64_t simulation) { return draw_classes(two_classes(), simulation, 600); });
}

TEST(Coverage, OfTheIntervalsOfThreeClassesIs95Percent) {
  expect_coverage(classification_truth(three_classes()), [](std::uint64_t simulation) {
    return draw_classes(three_classes(), simulation, 600);
  });
}

void expect_jackknife_influences(const Sample& sample) {
  const std::size_t rows = sample.labels.size();
  for (const Metric metric : metrics_of(sample.prediction.target.task)) {
    const ScoredRows scored = score(metric, sample.prediction, sample.labels);
    double sum = 0, largest = 0;
    for (const double influence : scored.influence) {
      sum += influence;
      largest = std::max(largest, std::abs(influence));
    }
    EXPECT_NEAR(sum, 0.0, 1e-9 * static_cast<double>(rows)) << to_string(metric);
    for (std::size_t row = 0; row < rows; row += 7) {
      std::vector<double> without = sample.labels;
      without[row] = std::numeric_limits<double>::quiet_NaN();
      const double change = scored.value - score(metric, sample.prediction, without).value;
      EXPECT_NEAR(scored.influence[row], static_cast<double>(rows - 1) * change, 0.05 * largest)
          << to_string(metric) << ", row " << row;
    }
  }
}

TEST(Influence, IsTheChangeWhenARowIsLeftOut) {
  expect_jackknife_influences(draw_regression(0, 500));
  expect_jackknife_influences(draw_classes(two_classes(), 0, 500));
  expect_jackknife_influences(draw_classes(three_classes(), 0, 500));
}

}  // namespace
}  // namespace knockout
