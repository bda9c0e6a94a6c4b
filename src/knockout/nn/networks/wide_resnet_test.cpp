// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/wide_resnet.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "knockout/base/error.h"
#include "knockout/nn/module/knockout.h"
#include "knockout/nn/test_gradients.h"

namespace knockout::nn {
namespace {

std::int64_t count_parameters(const torch::nn::Module& network) {
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : network.parameters()) count += parameter.numel();
  return count;
}

// 36.5 M for WRN-28-10 on CIFAR-10, says the paper; to the unit it is the sum over its layers.
TEST(WideResNet, HasTheParametersOfThePaper) {
  const auto block = [](std::int64_t from, std::int64_t to) {
    const std::int64_t convolutions = 9 * from * to + 9 * to * to + (from == to ? 0 : from * to);
    return convolutions + 2 * from + 2 * to;
  };
  std::int64_t expected = 9 * 3 * 16;
  std::int64_t from = 16;
  for (const std::int64_t to : {160, 320, 640}) {
    expected += block(from, to) + 3 * block(to, to);
    from = to;
  }
  expected += 2 * 640 + 640 * 10 + 10;
  EXPECT_EQ(expected, 36'479'194);
  WideResNet network(WideResNetOptions{.depth = 28, .width = 10});
  EXPECT_EQ(count_parameters(*network), expected);
}

// The blocks written out: identity shortcut in the first group, a convolution of the activated
// input in the others.
TEST(WideResNet, IsItsPreActivationBlocksWrittenOut) {
  WideResNet network(WideResNetOptions{.depth = 10, .width = 1});
  const torch::Tensor images = torch::randn({2, 3, 8, 8});
  network->forward(images);  // moves the running means off zero
  network->eval();
  const auto weights = network->named_parameters();
  const auto buffers = network->named_buffers();
  const auto norm_relu = [&](const torch::Tensor& x, const std::string& name) {
    return torch::batch_norm(x, weights[name + ".weight"], weights[name + ".bias"],
                             buffers[name + ".running_mean"], buffers[name + ".running_var"],
                             /*training=*/false, /*momentum=*/0.1, /*eps=*/1e-5,
                             /*cudnn_enabled=*/false)
        .clamp_min(0);
  };
  torch::Tensor x = torch::conv2d(images, weights["stem.weight"], {}, 1, 1);
  for (const std::string block : {"blocks.0", "blocks.1", "blocks.2"}) {
    const std::int64_t stride = block == "blocks.0" ? 1 : 2;
    const torch::Tensor active = norm_relu(x, block + ".norm1");
    const torch::Tensor inner =
        torch::conv2d(active, weights[block + ".conv1.weight"], {}, stride, 1);
    const torch::Tensor shortcut =
        stride == 1 ? x : torch::conv2d(active, weights[block + ".shortcut.weight"], {}, stride);
    x = shortcut + torch::conv2d(norm_relu(inner, block + ".norm2"),
                                 weights[block + ".conv2.weight"], {}, 1, 1);
  }
  const torch::Tensor expected = norm_relu(x, "norm").mean({2, 3});
  EXPECT_TRUE(torch::allclose(network->features(images), expected, 1e-4, 1e-5));
}

TEST(WideResNet, StartsWithTheVarianceOfHeByFanOut) {
  torch::manual_seed(1);
  WideResNet network(WideResNetOptions{.depth = 10, .width = 2});
  for (const auto& parameter : network->named_parameters()) {
    if (parameter.value().dim() != 4 || parameter.value().numel() < 4000) continue;
    const double fan_out = parameter.value().size(0) * parameter.value().size(2) *
                           static_cast<double>(parameter.value().size(3));
    EXPECT_NEAR(parameter.value().var().item<double>() * fan_out / 2, 1.0, 0.1) << parameter.key();
  }
}

TEST(WideResNet, TakesImagesOfAnySizeAndChannels) {
  WideResNet network(WideResNetOptions{.depth = 10, .width = 1, .channels = 2, .classes = 3});
  EXPECT_EQ(network->features(torch::randn({2, 2, 9, 13})).sizes(), torch::IntArrayRef({2, 64}));
  EXPECT_EQ(network->forward(torch::randn({2, 2, 32, 32})).sizes(), torch::IntArrayRef({2, 3}));
}

TEST(WideResNet, HasTheGradientsOfItsOutputs) {
  torch::manual_seed(5);  // no ReLU is so near 0 that a finite difference would step across
  WideResNet network(WideResNetOptions{
      .depth = 10, .width = 1, .classes = 3, .side_inputs = 2, .classifier_hidden = {5}});
  network->to(torch::kFloat64);
  const torch::Tensor images = torch::randn({3, 3, 8, 8}, torch::kFloat64);
  const torch::Tensor side = torch::randn({3, 2}, torch::kFloat64);
  expect_right_gradients(network->parameters(),
                         [&] { return network->forward(images, side).square().sum(); });
}

TEST(WideResNet, GivesSideInputsToTheClassifier) {
  WideResNet network(WideResNetOptions{.depth = 10, .width = 1, .side_inputs = 2});
  network->eval();
  const torch::Tensor images = torch::randn({2, 3, 8, 8}), side = torch::randn({2, 2});
  const torch::Tensor weight = network->named_parameters()["classifier.layers.0.weight"];
  const torch::Tensor by_side = torch::matmul(side, weight.narrow(1, 64, 2).t());
  const torch::Tensor without = network->forward(images, torch::zeros({2, 2}));
  EXPECT_TRUE(torch::allclose(network->forward(images, side), without + by_side, 1e-4, 1e-5));
  EXPECT_THROW(network->forward(images), ConfigError);
}

TEST(WideResNet, SeesTheSameWithTheSameSeedWhateverItsClassifierIsLike) {
  const torch::Tensor images = torch::randn({2, 3, 8, 8});
  const auto features = [&](const WideResNetOptions& options) {
    torch::manual_seed(6);
    return WideResNet(options)->features(images);
  };
  const torch::Tensor plain = features({.depth = 10, .width = 1});
  EXPECT_TRUE(features({.depth = 10, .width = 1, .classes = 3, .side_inputs = 2}).equal(plain));
  EXPECT_TRUE(features({.depth = 10, .width = 1, .classifier_hidden = {7, 5}}).equal(plain));
}

TEST(WideResNet, SaysWhichDepthsExist) {
  for (const std::int64_t depth : {4, 27}) {
    try {
      WideResNet network(WideResNetOptions{.depth = depth});
      FAIL() << "depth " << depth;
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("22, 28, 34"), std::string::npos) << error.what();
    }
  }
}

TEST(WideResNet, SaysTheSameAfterSaveAndLoad) {
  const WideResNetOptions options{.depth = 10, .width = 1};
  WideResNet network(options), other(options);
  const torch::Tensor images = torch::randn({2, 3, 8, 8});
  network->forward(images);  // moves the running means, which are part of the state
  std::stringstream file;
  torch::save(network, file);
  torch::load(other, file);
  network->eval();
  other->eval();
  EXPECT_TRUE(network->forward(images).equal(other->forward(images)));
}

TEST(WideResNet, StandsBehindKnockoutInASequential) {
  torch::manual_seed(4);
  torch::nn::Sequential network(
      Knockout(KnockoutModuleOptions{
          .modalities = {{.name = "image", .shape = {3, 8, 8}, .knockout_rate = 0.5}}}),
      WideResNet(WideResNetOptions{.depth = 10, .width = 1}));
  const torch::Tensor images = torch::randn({6, 3, 8, 8});
  const torch::Tensor first = network->forward(images);
  EXPECT_EQ(first.sizes(), torch::IntArrayRef({6, 10}));
  EXPECT_FALSE(network->forward(images).equal(first)) << "other masks in training";
  first.square().sum().backward();
  for (const auto& parameter : network->named_parameters()) {
    EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
  }
  network->eval();
  EXPECT_TRUE(network->forward(images).equal(network->forward(images)));
  EXPECT_TRUE(network->forward(images).equal(network[1]->as<WideResNet>()->forward(images)));
}

}  // namespace
}  // namespace knockout::nn
