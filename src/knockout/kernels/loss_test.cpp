// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace knockout {
namespace {

/// Central differences of a sum of losses with respect to each output.
void expect_gradient(std::vector<float> outputs, const std::vector<float>& gradient,
                     const std::function<double(const std::vector<float>&)>& loss) {
  constexpr float kStep = 1e-2f;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const float kept = outputs[i];
    outputs[i] = kept + kStep;
    const double above = loss(outputs);
    outputs[i] = kept - kStep;
    const double below = loss(outputs);
    outputs[i] = kept;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 2e-3) << "output " << i;
  }
}

const std::vector<float> kWeights = {1.0f, 0.0f, 2.5f};

TEST(SquaredError, IsTheWeightedSumAndItsGradient) {
  const std::vector<float> outputs = {1.0f, 5.0f, -2.0f}, targets = {3.0f, NAN, 1.0f};
  std::vector<float> gradient(3);
  const auto loss = [&](const std::vector<float>& x) {
    std::vector<float> ignored(3);
    return squared_error(x.data(), 1, targets.data(), kWeights.data(), 3, ignored.data());
  };
  EXPECT_DOUBLE_EQ(
      squared_error(outputs.data(), 1, targets.data(), kWeights.data(), 3, gradient.data()),
      4.0 + 2.5 * 9.0);
  expect_gradient(outputs, gradient, loss);
}

TEST(LogisticLoss, IsTheCrossEntropyAndItsGradient) {
  const std::vector<float> outputs = {0.3f, 5.0f, -1.2f}, targets = {1.0f, NAN, 0.0f};
  std::vector<float> gradient(3);
  const auto loss = [&](const std::vector<float>& x) {
    std::vector<float> ignored(3);
    return logistic_loss(x.data(), 1, targets.data(), kWeights.data(), 3, ignored.data());
  };
  const double value =
      logistic_loss(outputs.data(), 1, targets.data(), kWeights.data(), 3, gradient.data());
  EXPECT_NEAR(value, -std::log(sigmoid(0.3)) - 2.5 * std::log(1 - sigmoid(-1.2)), 1e-6);
  expect_gradient(outputs, gradient, loss);
}

TEST(LogisticLoss, StaysFiniteForHugeLogits) {
  const std::vector<float> outputs = {500.0f, -500.0f}, targets = {0.0f, 1.0f},
                           weights = {1.0f, 1.0f};
  std::vector<float> gradient(2);
  EXPECT_NEAR(logistic_loss(outputs.data(), 1, targets.data(), weights.data(), 2, gradient.data()),
              1000.0, 1e-3);
  EXPECT_EQ(gradient, (std::vector<float>{1.0f, -1.0f}));
}

TEST(SoftmaxLoss, IsTheCrossEntropyAndItsGradient) {
  const std::vector<float> outputs = {0.1f, 0.7f, -0.3f, 9.0f, 9.0f, 9.0f, 2.0f, 0.0f, 1.0f};
  const std::vector<float> targets = {1.0f, 0.0f, 2.0f};
  std::vector<float> gradient(9);
  const auto loss = [&](const std::vector<float>& x) {
    std::vector<float> ignored(9);
    return softmax_loss(x.data(), 3, 3, targets.data(), kWeights.data(), 3, ignored.data());
  };
  const double value =
      softmax_loss(outputs.data(), 3, 3, targets.data(), kWeights.data(), 3, gradient.data());
  const double first = std::log(std::exp(0.1) + std::exp(0.7) + std::exp(-0.3)) - 0.7;
  const double third = std::log(std::exp(2.0) + 1.0 + std::exp(1.0)) - 1.0;
  EXPECT_NEAR(value, first + 2.5 * third, 1e-5);
  expect_gradient(outputs, gradient, loss);
  for (int c = 3; c < 6; ++c) EXPECT_EQ(gradient[c], 0.0f) << "a row of weight 0 has no gradient";
}

TEST(Softmax, SumsToOneForExtremeLogits) {
  std::vector<double> logits = {1000.0, -1000.0, 999.0};
  softmax(logits.data(), 3);
  EXPECT_NEAR(logits[0] + logits[1] + logits[2], 1.0, 1e-12);
  EXPECT_NEAR(logits[2] / logits[0], std::exp(-1.0), 1e-12);
}

}  // namespace
}  // namespace knockout
