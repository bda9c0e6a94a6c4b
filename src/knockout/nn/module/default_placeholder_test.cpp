// SPDX-License-Identifier: Apache-2.0
// What the default placeholder is worth: a network's answers with and without it.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "knockout/nn/module/knockout.h"
#include "knockout/nn/test_refusals.h"

namespace knockout::nn {
namespace {

constexpr double kCorrelation = 0.6;

/// Trains on y = 2a + b, with a and b Gaussian and correlated, and answers a = 2 and b = 0, where
/// y is 4: the row whose b is what zero would say is missing, which would be answered 2.6 a = 5.2.
double answer_at_zero(const std::optional<Placeholder>& placeholder) {
  torch::manual_seed(1);
  Knockout knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                          .shape = {2},
                                                          .placeholder = placeholder,
                                                          .force_placeholder = true,
                                                          .knockout_rate = 0.4,
                                                          .separate_features = true}}});
  torch::nn::Sequential network(knockout, torch::nn::Linear(2, 32), torch::nn::ReLU(),
                                torch::nn::Linear(32, 32), torch::nn::ReLU(),
                                torch::nn::Linear(32, 1));
  constexpr int kSteps = 600;
  torch::optim::Adam optimizer(network->parameters(), 1e-2);
  for (int step = 0; step < kSteps; ++step) {
    for (auto& group : optimizer.param_groups()) {
      group.options().set_lr(1e-2 * (1.0 - static_cast<double>(step) / kSteps));
    }
    const torch::Tensor a = torch::randn({256});
    const torch::Tensor b =
        kCorrelation * a + std::sqrt(1 - kCorrelation * kCorrelation) * torch::randn({256});
    optimizer.zero_grad();
    torch::mse_loss(network->forward(torch::stack({a, b}, 1)).squeeze(1), 2 * a + b).backward();
    optimizer.step();
  }
  network->eval();
  return network->forward(torch::tensor({{2.0f, 0.0f}})).item<double>();
}

TEST(DefaultPlaceholder, LeavesRealZerosToThemselves) {
  EXPECT_NEAR(answer_at_zero({}), 4.0, 0.35);
  // What the default once was, and what the paper finds worst: a real zero is taken for a gap.
  EXPECT_GT(answer_at_zero(Placeholder::zeros()), 4.6);
}

TEST(DefaultPlaceholder, StandsInTheModulesOptionsAndOutputs) {
  Knockout knockout(KnockoutModuleOptions{
      .modalities = {{.name = "share", .shape = {}, .support = Support::kInterval},
                     {.name = "count", .shape = {}, .support = Support::kHalfLine},
                     {.name = "score", .shape = {}},
                     {.name = "latent", .shape = {32}}}});
  knockout->eval();
  const float nan = NAN, inf = INFINITY;
  const torch::Tensor gaps = torch::tensor({nan, inf});
  const auto outputs = knockout->forward_all({gaps, gaps, gaps, torch::full({2, 32}, NAN)});
  EXPECT_TRUE(outputs[0].equal(torch::tensor({-1.0f, 2.0f})));
  EXPECT_TRUE(outputs[1].equal(torch::tensor({-1.0f, -2.0f})));
  EXPECT_TRUE(outputs[2].equal(torch::tensor({10.0f, -10.0f})));
  EXPECT_TRUE(outputs[3].equal(torch::zeros({2, 32})));
  EXPECT_EQ(knockout->modalities()[1].placeholder->value, -1.0);
}

TEST(DefaultPlaceholder, ReplacesOneThatTheModuleRefuses) {
  expect_refusal(
      [] {
        Knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                       .shape = {2},
                                                       .placeholder = Placeholder::zeros(),
                                                       .separate_features = true}}});
      },
      "the paper's rule, which gives 10 here");
}

}  // namespace
}  // namespace knockout::nn
