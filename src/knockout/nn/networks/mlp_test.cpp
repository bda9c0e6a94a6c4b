// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/mlp.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/nn/test_gradients.h"

namespace knockout::nn {
namespace {

TEST(Mlp, IsLinearLayersWithReluBetween) {
  Mlp mlp(MlpOptions{.inputs = 3, .hidden = {5}, .outputs = 2});
  const std::vector<torch::Tensor> p = mlp->parameters();
  const torch::Tensor x = torch::randn({4, 3});
  const torch::Tensor expected =
      torch::matmul((torch::matmul(x, p[0].t()) + p[1]).clamp_min(0), p[2].t()) + p[3];
  EXPECT_TRUE(torch::allclose(mlp->forward(x), expected, 1e-5, 1e-6));
}

TEST(Mlp, HasTheGradientsOfItsOutputs) {
  torch::manual_seed(2);
  Mlp mlp(MlpOptions{.inputs = 3, .hidden = {7, 5}, .outputs = 2});
  mlp->to(torch::kFloat64);
  const torch::Tensor x = torch::randn({4, 3}, torch::kFloat64);
  expect_right_gradients(mlp->parameters(), [&] { return mlp->forward(x).square().sum(); });
}

TEST(Mlp, DropsHiddenUnitsOnlyInTraining) {
  Mlp mlp(MlpOptions{.inputs = 3, .hidden = {50}, .outputs = 2, .dropout_rate = 0.5});
  const torch::Tensor x = torch::randn({4, 3});
  EXPECT_FALSE(mlp->forward(x).equal(mlp->forward(x)));
  mlp->eval();
  EXPECT_TRUE(mlp->forward(x).equal(mlp->forward(x)));
}

TEST(Mlp, RefusesOptionsThatMakeNoNetwork) {
  EXPECT_THROW(Mlp(MlpOptions{.inputs = 0}), ConfigError);
  EXPECT_THROW(Mlp(MlpOptions{.hidden = {5, 0}}), ConfigError);
  EXPECT_THROW(Mlp(MlpOptions{.dropout_rate = 1.0}), ConfigError);
}

}  // namespace
}  // namespace knockout::nn
