// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/cnn3d.h"

#include <gtest/gtest.h>

#include <sstream>

#include "knockout/base/error.h"
#include "knockout/nn/test_gradients.h"

namespace knockout::nn {
namespace {

const Cnn3dOptions kSmallCnn{
    .channels = 2, .widths = {3, 4}, .grid = {1, 2, 2}, .latent = 5, .outputs = 2};

TEST(Cnn3d, TakesTheVolumesOfThePaper) {
  Cnn3d network(Cnn3dOptions{.widths = {2, 2, 2, 2}});
  const torch::NoGradGuard no_gradients;
  const torch::Tensor volumes = torch::randn({2, 1, 40, 100, 100});
  EXPECT_EQ(network->latent(volumes).sizes(), torch::IntArrayRef({2, 256}));
  EXPECT_EQ(network->forward(volumes).sizes(), torch::IntArrayRef({2, 1}));
}

TEST(Cnn3d, TakesVolumesOfOtherSizes) {
  Cnn3d network(kSmallCnn);
  for (const std::int64_t side : {4, 5, 13}) {
    EXPECT_EQ(network->latent(torch::randn({2, 2, side, 6, 9})).sizes(),
              torch::IntArrayRef({2, 5}));
  }
}

TEST(Cnn3d, HasTheGradientsOfItsOutputs) {
  torch::manual_seed(8);
  Cnn3d network(kSmallCnn);
  network->to(torch::kFloat64);
  const torch::Tensor volumes = torch::randn({3, 2, 5, 8, 8}, torch::kFloat64);
  expect_right_gradients(network->parameters(),
                         [&] { return network->forward(volumes).square().sum(); });
}

TEST(Cnn3d, SeesWhereSomethingLies) {
  Cnn3d network(kSmallCnn);
  network->eval();
  const torch::Tensor volume = torch::zeros({1, 2, 4, 8, 8});
  volume.narrow(3, 0, 2).fill_(1.0);
  EXPECT_FALSE(torch::allclose(network->latent(volume), network->latent(volume.flip(3))));
}

TEST(Cnn3d, RefusesVolumesThatItsBlocksWouldHalveAway) {
  Cnn3d network(kSmallCnn);
  EXPECT_THROW(network->forward(torch::zeros({1, 2, 3, 8, 8})), ConfigError);
  EXPECT_THROW(network->forward(torch::zeros({2, 8, 8, 8})), ConfigError);
  EXPECT_THROW(Cnn3d(Cnn3dOptions{.grid = {2, 2}}), ConfigError);
}

TEST(Cnn3d, SaysTheSameAfterSaveAndLoad) {
  Cnn3d network(kSmallCnn), other(kSmallCnn);
  const torch::Tensor volumes = torch::randn({2, 2, 4, 4, 4});
  network->forward(volumes);  // moves the running means, which are part of the state
  std::stringstream file;
  torch::save(network, file);
  torch::load(other, file);
  network->eval();
  other->eval();
  EXPECT_TRUE(network->forward(volumes).equal(other->forward(volumes)));
}

}  // namespace
}  // namespace knockout::nn
