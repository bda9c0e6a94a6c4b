// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/late_fusion.h"

#include <gtest/gtest.h>

#include <sstream>

#include "knockout/base/error.h"
#include "knockout/nn/test_gradients.h"

namespace knockout::nn {
namespace {

TEST(LateFusion, HasTheGradientsOfItsOutputs) {
  torch::manual_seed(2);
  LateFusion network(
      LateFusionOptions{.inputs = {3, 8}, .hidden = {5}, .latent = 4, .head_hidden = {6}});
  network->to(torch::kFloat64);
  const std::vector<torch::Tensor> x = {torch::randn({4, 3}, torch::kFloat64),
                                        torch::randn({4, 2, 2, 2}, torch::kFloat64)};
  expect_right_gradients(network->parameters(), [&] { return network->forward(x).square().sum(); });
}

TEST(LateFusion, SaysTheSameAfterSaveAndLoad) {
  const LateFusionOptions options{.inputs = {3, 1}, .outputs = 2};
  LateFusion network(options), other(options);
  const std::vector<torch::Tensor> x = {torch::randn({4, 3}), torch::randn({4})};
  EXPECT_FALSE(network->forward(x).equal(other->forward(x)));
  std::stringstream file;
  torch::save(network, file);
  torch::load(other, file);
  EXPECT_TRUE(network->forward(x).equal(other->forward(x)));
}

TEST(LateFusion, RefusesAbsentInputsThatDidNotGoThroughKnockout) {
  LateFusion network(LateFusionOptions{.inputs = {3, 1}});
  EXPECT_THROW(network->forward({torch::zeros({4, 3})}), ConfigError);
  EXPECT_THROW(network->forward({torch::zeros({4, 3}), torch::Tensor()}), ConfigError);
}

TEST(LateFusion, AnswersAnEmptyBatch) {
  LateFusion network(LateFusionOptions{.inputs = {8, 1}, .outputs = 3});
  EXPECT_EQ(network->forward({torch::zeros({0, 2, 4}), torch::zeros({0})}).sizes(),
            torch::IntArrayRef({0, 3}));
}

}  // namespace
}  // namespace knockout::nn
