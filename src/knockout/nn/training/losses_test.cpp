// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/losses.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/error.h"
#include "knockout/nn/test_gradients.h"

namespace knockout::nn {
namespace {

torch::Tensor doubles(std::vector<double> values) { return torch::tensor(values, torch::kFloat64); }

torch::Tensor random_scores(torch::IntArrayRef shape) {
  torch::manual_seed(1);
  return torch::randn(shape, torch::TensorOptions(torch::kFloat64).requires_grad(true));
}

double log_sum_exp(const torch::Tensor& row) { return std::log(row.exp().sum().item<double>()); }

TEST(CrossEntropy, IsTheMeanOverLabelledRows) {
  const torch::Tensor scores = random_scores({3, 4});
  const torch::Tensor labels = torch::tensor({2, -1, 0});
  const double expected = (log_sum_exp(scores[0]) - scores[0][2].item<double>() +
                           log_sum_exp(scores[2]) - scores[2][0].item<double>()) /
                          2;
  EXPECT_NEAR(cross_entropy(scores, labels).item<double>(), expected, 1e-12);
  expect_right_gradients({scores}, [&] { return cross_entropy(scores, labels); });
}

TEST(CrossEntropy, WeighsRowsByTheirClass) {
  const torch::Tensor scores = random_scores({3, 2});
  const torch::Tensor labels = torch::tensor({1, 0, -7}), weights = doubles({1.0, 3.0});
  const double first = log_sum_exp(scores[0]) - scores[0][1].item<double>();
  const double second = log_sum_exp(scores[1]) - scores[1][0].item<double>();
  EXPECT_NEAR(cross_entropy(scores, labels, weights).item<double>(), (3 * first + second) / 4,
              1e-12);
  expect_right_gradients({scores}, [&] { return cross_entropy(scores, labels, weights); });
}

TEST(CrossEntropy, OfAVolumeIsThatOfItsVoxelsAsRows) {
  const torch::Tensor scores = random_scores({2, 3, 2, 3, 2});
  const torch::Tensor labels = torch::randint(-1, 3, {2, 2, 3, 2});
  const torch::Tensor rows = scores.permute({0, 2, 3, 4, 1}).reshape({-1, 3});
  EXPECT_NEAR(cross_entropy(scores, labels).item<double>(),
              cross_entropy(rows, labels.flatten()).item<double>(), 1e-12);
}

TEST(Losses, AreZeroWithZeroGradientsWithoutLabels) {
  const torch::Tensor scores = random_scores({2, 3});
  const torch::Tensor no_class = torch::tensor({-1, -1});
  const torch::Tensor loss = cross_entropy(scores, no_class) + soft_dice(scores, no_class) +
                             logistic_loss(scores, torch::full({2, 3}, NAN, torch::kFloat64));
  EXPECT_EQ(loss.item<double>(), 0.0);
  loss.backward();
  EXPECT_TRUE(scores.grad().equal(torch::zeros_like(scores)));
}

TEST(LogisticLoss, CountsPositivesByTheirWeightAndSkipsMissingLabels) {
  const torch::Tensor scores = random_scores({2, 2});
  const torch::Tensor labels = doubles({1.0, 0.0, NAN, 1.0}).reshape({2, 2});
  const torch::Tensor weights = doubles({5.0, 2.0});
  const auto log_sigmoid = [](double x) { return -std::log1p(std::exp(-x)); };
  const auto score = [&](int row, int output) { return scores[row][output].item<double>(); };
  const double expected =
      -(5 * log_sigmoid(score(0, 0)) + log_sigmoid(-score(0, 1)) + 2 * log_sigmoid(score(1, 1))) /
      3;
  EXPECT_NEAR(logistic_loss(scores, labels, weights).item<double>(), expected, 1e-12);
  expect_right_gradients({scores}, [&] { return logistic_loss(scores, labels, weights); });
  EXPECT_EQ(scores.grad()[1][0].item<double>(), 0.0);
}

TEST(LogisticLoss, StaysFiniteForHugeScores) {
  const double loss = logistic_loss(doubles({500.0, -500.0}), doubles({0.0, 1.0})).item<double>();
  EXPECT_NEAR(loss, 500.0, 1e-9);
}

/// Soft Dice voxel by voxel, as its formula says.
double naive_soft_dice(const torch::Tensor& scores, const torch::Tensor& labels,
                       const SoftDiceOptions& options) {
  const torch::Tensor probabilities = torch::softmax(scores, 1).detach().flatten(2).contiguous();
  const torch::Tensor truth = labels.flatten(1);
  double sum = 0.0;
  int terms = 0;
  for (int row = 0; row < scores.size(0); ++row) {
    if ((truth[row] < 0).all().item<bool>()) continue;
    for (int c = options.include_background ? 0 : 1; c < scores.size(1); ++c, ++terms) {
      double both = 0.0, predicted = 0.0, there = 0.0;
      for (int voxel = 0; voxel < truth.size(1); ++voxel) {
        const auto label = truth[row][voxel].item<int>();
        if (label < 0) continue;
        const auto probability = probabilities[row][c][voxel].item<double>();
        both += label == c ? probability : 0.0;
        predicted += probability;
        there += label == c;
      }
      sum += 1.0 - (2 * both + options.smoothing) / (predicted + there + options.smoothing);
    }
  }
  return sum / terms;
}

TEST(SoftDice, IsItsFormula) {
  const torch::Tensor scores = random_scores({3, 3, 2, 2, 3});
  torch::Tensor labels = torch::randint(-1, 3, {3, 2, 2, 3});
  labels[1].fill_(-1);  // a row without labels counts nowhere
  for (const bool background : {false, true}) {
    const SoftDiceOptions options{.include_background = background, .smoothing = 0.1};
    EXPECT_NEAR(soft_dice(scores, labels, options).item<double>(),
                naive_soft_dice(scores, labels, options), 1e-12);
    expect_right_gradients({scores}, [&] { return soft_dice(scores, labels, options); });
    EXPECT_NEAR(
        cross_entropy_and_dice(scores, labels, options).item<double>(),
        cross_entropy(scores, labels).item<double>() + naive_soft_dice(scores, labels, options),
        1e-12);
  }
}

TEST(SoftDice, IsNothingForACertainAndRightPrediction) {
  const torch::Tensor labels = torch::tensor({{0, 1, 2, 2}});
  const torch::Tensor scores =
      100.0 * torch::one_hot(labels, 3).transpose(1, 2).to(torch::kFloat64);
  EXPECT_NEAR(soft_dice(scores, labels).item<double>(), 0.0, 1e-9);
}

TEST(SoftDice, RefusesScoresWithoutARegion) {
  EXPECT_THROW(soft_dice(torch::zeros({1, 1, 4}), torch::zeros({1, 4})), ConfigError);
}

TEST(LogisticLoss, TakesNegativeLabelsAndNanForMissing) {
  const torch::Tensor scores = random_scores({4});
  const torch::Tensor floats = doubles({1, -1, NAN, 0});
  const double expected = (std::log1p(std::exp(-scores[0].item<double>())) +
                           std::log1p(std::exp(scores[3].item<double>()))) /
                          2;
  EXPECT_NEAR(logistic_loss(scores, floats).item<double>(), expected, 1e-12);
  EXPECT_NEAR(logistic_loss(scores, torch::tensor({1, -1, -7, 0})).item<double>(), expected, 1e-12);
  expect_right_gradients({scores}, [&] { return logistic_loss(scores, floats); });
}

// Half precision ends at 65,504, and a volume has more voxels than that.
TEST(Losses, OfHalfPrecisionCountEveryVoxel) {
  const torch::Tensor scores =
      torch::zeros({1, 2, 70000}, torch::TensorOptions(torch::kFloat16).requires_grad(true));
  const torch::Tensor labels = torch::ones({1, 70000}, torch::kInt64);
  EXPECT_NEAR(cross_entropy(scores, labels).item<double>(), std::log(2), 1e-5);
  EXPECT_NEAR(cross_entropy(scores, labels, torch::ones(2, torch::kFloat16)).item<double>(),
              std::log(2), 1e-5);
  EXPECT_NEAR(soft_dice(scores, labels).item<double>(), 1 - 1 / 1.5, 1e-5);
  EXPECT_NEAR(logistic_loss(scores.select(1, 0), labels).item<double>(), std::log(2), 1e-5);
  cross_entropy_and_dice(scores, labels).backward();
  EXPECT_EQ(scores.grad().scalar_type(), torch::kFloat16);
  EXPECT_TRUE(scores.grad().isfinite().all().item<bool>());
}

TEST(Losses, OfAnEmptyBatchAreZero) {
  const torch::Tensor no_class = torch::zeros({0, 4, 5}, torch::kInt64);
  EXPECT_EQ(cross_entropy(torch::zeros({0, 3, 4, 5}), no_class).item<double>(), 0.0);
  EXPECT_EQ(soft_dice(torch::zeros({0, 3, 4, 5}), no_class).item<double>(), 0.0);
  EXPECT_EQ(soft_dice(torch::zeros({0, 3}), torch::zeros({0}, torch::kInt64)).item<double>(), 0.0);
  EXPECT_EQ(logistic_loss(torch::zeros({0, 3}), torch::zeros({0, 3})).item<double>(), 0.0);
}

TEST(SoftDice, RefusesToDivideByNothing) {
  const torch::Tensor scores = torch::zeros({1, 2, 3}), labels = torch::zeros({1, 3});
  for (const double smoothing : {0.0, -1.0, static_cast<double>(NAN)}) {
    EXPECT_THROW(soft_dice(scores, labels, {.smoothing = smoothing}), ConfigError);
  }
}

}  // namespace
}  // namespace knockout::nn
