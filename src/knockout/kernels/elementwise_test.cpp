// SPDX-License-Identifier: Apache-2.0
#include "knockout/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace knockout {
namespace {

TEST(Relu, ZeroesNegativesAndLeavesThePaddingAlone) {
  std::vector<float> x = {-1, 2, 99, 3, -4, 99};
  relu(x.data(), 2, 2, 3);
  EXPECT_EQ(x, (std::vector<float>{0, 2, 99, 3, 0, 99}));
}

TEST(Relu, BackwardPassesGradientsOnlyWhereTheUnitFired) {
  const std::vector<float> activation = {0, 2, 1, 3, 0, 1};
  std::vector<float> gradient = {5, 6, 7, 8};
  relu_backward(activation.data(), 3, gradient.data(), 2, 2, 2);
  EXPECT_EQ(gradient, (std::vector<float>{0, 6, 7, 0}));
}

TEST(OuterProduct, IsOneNumberPerRowTimesOnePerColumn) {
  const std::vector<float> delta = {2, 99, -1, 99}, weights = {3, 4, 5};
  std::vector<float> out(8, 7);
  outer_product(delta.data(), 2, weights.data(), out.data(), 4, 2, 3);
  EXPECT_EQ(out, (std::vector<float>{6, 8, 10, 7, -3, -4, -5, 7}));
}

TEST(Drop, ZeroesBelowTheThresholdAndScalesTheRest) {
  std::vector<float> x = {1, 2, 99, -3, 4, 99};
  const std::vector<std::uint8_t> bytes = {10, 9, 0, 200, 255, 0};
  drop(x.data(), 2, 2, 3, bytes.data(), 3, 10, 2.0f);
  EXPECT_EQ(x, (std::vector<float>{2, 0, 99, -6, 8, 99}));
}

TEST(AddRows, AddsColumnByColumnAndLeavesThePaddingAlone) {
  const std::vector<float> from = {1, 2, 3, 4};
  std::vector<float> to = {10, 20, 99, 30, 40, 99};
  add_rows(from.data(), 2, to.data(), 3, 2, 2);
  EXPECT_EQ(to, (std::vector<float>{11, 22, 99, 33, 44, 99}));
}

TEST(GatherRows, CopiesRowsInTheOrderAsked) {
  const std::vector<float> table = {1, 2, 3, 4, 5, 6};
  std::vector<float> out(9, 0);
  const std::vector<std::uint32_t> rows = {2, 0, 2};
  gather_rows(table.data(), rows, 2, out.data(), 3);
  EXPECT_EQ(out, (std::vector<float>{5, 6, 0, 1, 2, 0, 5, 6, 0}));
}

/// The update as the papers write it, in double precision.
struct TextbookAdam {
  double weight, first = 0, second = 0;
  void step(int t, double gradient, double rate, double decay) {
    first = 0.9 * first + 0.1 * gradient;
    second = 0.999 * second + 0.001 * gradient * gradient;
    const double first_hat = first / (1 - std::pow(0.9, t));
    const double second_hat = second / (1 - std::pow(0.999, t));
    weight -= rate * decay * weight;
    weight -= rate * first_hat / (std::sqrt(second_hat) + 1e-8);
  }
};

TEST(Adam, FollowsThePapersUpdateOverManySteps) {
  constexpr int kCount = 37;
  std::vector<float> weights(kCount), first(kCount), second(kCount), gradient(kCount);
  std::vector<TextbookAdam> textbook;
  for (int i = 0; i < kCount; ++i) {
    weights[i] = 0.1f * static_cast<float>(i - 18);
    textbook.push_back({.weight = weights[i]});
  }
  for (int t = 1; t <= 200; ++t) {
    for (int i = 0; i < kCount; ++i)
      gradient[i] = std::sin(0.1f * t + i) * (i % 5 == 0 ? 100 : 0.01f);
    adam_update(adam_step(t, 0.01, 0.9, 0.999, 1e-8, 0.1), kCount, gradient.data(), weights.data(),
                first.data(), second.data());
    for (int i = 0; i < kCount; ++i) textbook[i].step(t, gradient[i], 0.01, 0.1);
  }
  for (int i = 0; i < kCount; ++i) EXPECT_NEAR(weights[i], textbook[i].weight, 2e-4) << i;
}

TEST(Nesterov, FollowsTheFormThatLibTorchUses) {
  std::vector<float> weight = {2.0f}, velocity = {0.0f};
  double expected = 2.0, buffer = 0.0;
  for (int t = 0; t < 50; ++t) {
    const float gradient = 2.0f * weight[0];  // of w^2
    nesterov_update(0.05f, 0.9f, 0.01f, 1, &gradient, weight.data(), velocity.data());
    const double g = 2.0 * expected + 0.01 * expected;
    buffer = 0.9 * buffer + g;
    expected -= 0.05 * (g + 0.9 * buffer);
  }
  EXPECT_NEAR(weight[0], expected, 1e-4);
}

}  // namespace
}  // namespace knockout
