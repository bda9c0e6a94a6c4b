// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/unet3d.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "knockout/base/error.h"
#include "knockout/nn/test_gradients.h"

namespace knockout::nn {
namespace {

const UNet3dOptions kSmallUNet{.in_channels = 2, .out_channels = 3, .levels = 2, .base_width = 4};

TEST(UNet3d, PutsOutAVolumeOfTheSameSizeWhateverItIs) {
  UNet3d network(kSmallUNet);
  for (const std::vector<std::int64_t>& size :
       std::vector<std::vector<std::int64_t>>{{8, 8, 8}, {5, 7, 11}, {1, 2, 3}, {16, 4, 9}}) {
    const torch::Tensor volume = torch::randn({2, 2, size[0], size[1], size[2]});
    EXPECT_EQ(network->forward(volume).sizes(),
              torch::IntArrayRef({2, 3, size[0], size[1], size[2]}));
  }
}

TEST(UNet3d, IsTheSameOnAVolumeThatTheCallerPads) {
  UNet3d network(kSmallUNet);
  const torch::Tensor volume = torch::randn({1, 2, 5, 8, 6});
  const torch::Tensor padded = torch::constant_pad_nd(volume, {0, 2, 0, 0, 0, 3});
  EXPECT_TRUE(
      network->forward(volume).equal(network->forward(padded).narrow(2, 0, 5).narrow(4, 0, 6)));
}

TEST(UNet3d, IsItsOneLevelFormWrittenOut) {
  UNet3d network(UNet3dOptions{
      .in_channels = 2, .out_channels = 3, .levels = 1, .blocks = 1, .base_width = 4});
  network->to(torch::kFloat64);
  const auto weights = network->named_parameters();
  const auto block = [&](const torch::Tensor& x, const std::string& name) {
    const torch::Tensor y = torch::conv3d(x, weights[name + ".0.weight"], {}, 1, 1);
    const torch::Tensor mean = y.mean({2, 3, 4}, true);
    const torch::Tensor variance = (y - mean).square().mean({2, 3, 4}, true);
    const torch::Tensor norm = (y - mean) / (variance + 1e-5).sqrt();  // scale 1, shift 0 at first
    return torch::where(norm > 0, norm, 0.01 * norm);
  };
  const torch::Tensor volume = torch::randn({2, 2, 4, 6, 4}, torch::kFloat64);
  const torch::Tensor skip = block(volume, "down0");
  const torch::Tensor bottom = block(torch::max_pool3d(skip, 2), "down1");
  const torch::Tensor above =
      torch::conv_transpose3d(bottom, weights["enlarge0.weight"], weights["enlarge0.bias"], 2);
  const torch::Tensor top = block(torch::cat({skip, above}, 1), "up0");
  const torch::Tensor expected = torch::conv3d(top, weights["head.weight"], weights["head.bias"]);
  EXPECT_TRUE(torch::allclose(network->forward(volume), expected, 1e-9, 1e-9));
}

TEST(UNet3d, HasTheGradientsOfItsOutputs) {
  torch::manual_seed(6);
  UNet3d network(kSmallUNet);
  network->to(torch::kFloat64);
  const torch::Tensor volume = torch::randn({2, 2, 5, 8, 8}, torch::kFloat64);
  expect_right_gradients(network->parameters(),
                         [&] { return network->forward(volume).square().sum(); });
}

TEST(UNet3d, DoublesItsChannelsAtEachLevel) {
  UNet3d network(UNet3dOptions{});
  const auto parameters = network->named_parameters();
  EXPECT_EQ(parameters["down4.0.weight"].sizes(), torch::IntArrayRef({256, 128, 3, 3, 3}));
  EXPECT_EQ(parameters["down4.3.weight"].sizes(), torch::IntArrayRef({256, 256, 3, 3, 3}));
  EXPECT_EQ(parameters["up0.0.weight"].sizes(), torch::IntArrayRef({16, 32, 3, 3, 3}));
  EXPECT_FALSE(parameters.contains("down5.0.weight"));
}

// With the way up from below cut, what comes out has come through the skip connection of the finest
// level: it is near what goes in. Further away only instance norm passes anything on, and little.
TEST(UNet3d, PassesFineDetailThroughSkipConnections) {
  UNet3d network(kSmallUNet);
  network->to(torch::kFloat64);
  const torch::NoGradGuard no_gradients;
  for (auto& parameter : network->named_parameters()) {
    if (parameter.key().rfind("enlarge0", 0) == 0) parameter.value().zero_();
  }
  const torch::Tensor volume = torch::randn({1, 2, 16, 16, 16}, torch::kFloat64);
  torch::Tensor touched = volume.clone();
  touched[0][0][8][8][8] += 5.0;
  const torch::Tensor change =
      (network->forward(touched) - network->forward(volume)).abs().sum(1)[0];
  const double near = change[8][8][8].item<double>();
  const double far = change.narrow(0, 0, 4).max().item<double>();
  EXPECT_GT(near, 0.01);
  EXPECT_LT(far, 0.1 * near);
}

TEST(UNet3d, SaysTheSameAfterSaveAndLoad) {
  UNet3d network(kSmallUNet), other(kSmallUNet);
  const torch::Tensor volume = torch::randn({1, 2, 4, 4, 4});
  EXPECT_FALSE(network->forward(volume).equal(other->forward(volume)));
  std::stringstream file;
  torch::save(network, file);
  torch::load(other, file);
  EXPECT_TRUE(network->forward(volume).equal(other->forward(volume)));
}

TEST(UNet3d, RefusesWhatIsNoBatchOfVolumes) {
  UNet3d network(kSmallUNet);
  EXPECT_THROW(network->forward(torch::zeros({2, 4, 4, 4})), ConfigError);
  EXPECT_THROW(UNet3d(UNet3dOptions{.levels = -1}), ConfigError);
}

}  // namespace
}  // namespace knockout::nn
