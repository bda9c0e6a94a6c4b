// SPDX-License-Identifier: Apache-2.0
// Inputs of every size, type and memory layout, in the Knockout module.
#include <gtest/gtest.h>

#include <cmath>

#include "knockout/nn/module/knockout.h"
#include "knockout/nn/networks/unet3d.h"
#include "knockout/nn/test_gradients.h"
#include "knockout/nn/test_refusals.h"

namespace knockout::nn {
namespace {

/// Volumes of two channels and any size, whose channels go missing one by one.
Knockout volumes(Placeholder placeholder, double rate = 0.5) {
  return Knockout(KnockoutModuleOptions{.modalities = {{.name = "volume",
                                                        .shape = {2, -1, -1, -1},
                                                        .placeholder = placeholder,
                                                        .knockout_rate = rate,
                                                        .separate_features = true}},
                                        .seed = 4});
}

TEST(KnockoutOfAnySize, TrainsAUNetOnVolumesOfTwoSizes) {
  torch::manual_seed(3);
  Knockout knockout = volumes(Placeholder::learned());
  UNet3d unet(UNet3dOptions{
      .in_channels = 2, .out_channels = 2, .levels = 1, .blocks = 1, .base_width = 2});
  torch::nn::Sequential network(knockout, unet);
  network->to(torch::kFloat64);
  const torch::Tensor placeholder = knockout->parameters()[0];
  ASSERT_EQ(placeholder.sizes(), torch::IntArrayRef({2, 1, 1, 1}));
  {
    const torch::NoGradGuard no_gradients;
    torch::Tensor(placeholder).copy_(torch::randn_like(placeholder));
  }
  const torch::Tensor small = torch::randn({6, 2, 4, 4, 2}, torch::kFloat64);
  const torch::Tensor large = torch::randn({3, 2, 5, 6, 4}, torch::kFloat64);
  const auto loss = [&] {
    set_knockout_step(*network, 2);  // the same masks each time
    return network->forward(small).square().mean() + network->forward(large).pow(3).mean();
  };
  expect_right_gradients({placeholder}, loss);
  expect_right_gradients(network->parameters(), loss);
}

TEST(KnockoutOfAnySize, PutsTheChannelsPlaceholderInPlaceOfTheChannel) {
  Knockout knockout = volumes(Placeholder::learned());
  {
    const torch::NoGradGuard no_gradients;
    knockout->parameters()[0].copy_(torch::tensor({-7.0, -8.0}).reshape({2, 1, 1, 1}));
  }
  for (const std::int64_t side : {2, 3}) {
    const torch::Tensor mask = knockout->draw(side, 20);
    knockout->set_step(side);
    const torch::Tensor input = torch::rand({20, 2, side, 1, 2});
    const torch::Tensor output = knockout->forward(input);
    for (int row = 0; row < 20; ++row) {
      for (int channel = 0; channel < 2; ++channel) {
        const bool gone = mask[row][channel].item<int>() != 0;
        EXPECT_TRUE(output[row][channel].equal(
            gone ? torch::full({side, 1, 2}, channel == 0 ? -7.0 : -8.0) : input[row][channel]));
      }
    }
  }
}

TEST(KnockoutOfAnySize, AveragesAMeanOverTheSidesOfAnySize) {
  Knockout knockout = volumes(Placeholder::mean(), 0.0);
  knockout->observe({torch::tensor({1.0f, 2.0f, 30.0f, 40.0f}).reshape({1, 2, 2, 1, 1})});
  knockout->observe({torch::tensor({3.0f, NAN, 6.0f, 50.0f, 60.0f, NAN}).reshape({1, 2, 1, 3, 1})});
  knockout->eval();
  const torch::Tensor output = knockout->forward(torch::full({1, 2, 1, 1, 5}, NAN));
  EXPECT_TRUE(output[0][0].equal(torch::full({1, 1, 5}, 3.0f)));   // (1 + 2 + 3 + 6) / 4
  EXPECT_TRUE(output[0][1].equal(torch::full({1, 1, 5}, 45.0f)));  // (30 + 40 + 50 + 60) / 4
  EXPECT_TRUE(knockout->named_buffers()["volume_observed"].flatten().equal(torch::tensor({4, 4})));
}

TEST(KnockoutOfAnySize, SizesAnAbsentModalityLikeOneThatIsThere) {
  Knockout knockout(KnockoutModuleOptions{
      .modalities = {{.name = "t1", .shape = {1, -1, 3}, .placeholder = Placeholder::constant(-1)},
                     {.name = "t2", .shape = {2, -1, -1}, .placeholder = Placeholder::constant(-2)},
                     {.name = "age", .shape = {}}}});
  knockout->eval();
  const torch::Tensor t1 = torch::rand({4, 1, 5, 3}), t2 = torch::rand({4, 2, 7, 3});
  EXPECT_TRUE(knockout->forward_all({torch::Tensor(), t2, torch::rand({4})})[0].equal(
      torch::full({4, 1, 7, 3}, -1.0)));
  expect_refusal(
      [&] {
        knockout->forward_all({t1, torch::Tensor(), torch::rand({4})});
      },
      "\"t2\" is absent and its shape [2, -1, -1] does not say how large it is");
  expect_refusal(
      [&] {
        knockout->forward_all({t1.transpose(1, 3), t2, torch::rand({4})});
      },
      "expected [rows, 1, -1, 3]");
}

TEST(KnockoutInputs, MayBeAnEmptyBatch) {
  for (const bool training : {true, false}) {
    Knockout knockout(KnockoutModuleOptions{
        .modalities = {{.name = "image", .shape = {2, 3, 3}, .separate_features = true},
                       {.name = "scan", .shape = {1, -1}, .placeholder = Placeholder::learned()},
                       {.name = "age", .shape = {}}},
        .keep_at_least_one = true});
    knockout->train(training);
    const auto outputs = knockout->forward_all(
        {torch::rand({0, 2, 3, 3}), torch::rand({0, 1, 4}), torch::rand({0})}, torch::ones({0, 3}));
    EXPECT_EQ(outputs[0].sizes(), torch::IntArrayRef({0, 2, 3, 3}));
    EXPECT_EQ(outputs[1].sizes(), torch::IntArrayRef({0, 1, 4}));
    EXPECT_EQ(outputs[2].sizes(), torch::IntArrayRef({0}));
  }
}

// The same masks and placeholders whatever the type; the numbers here are exact in all of them.
TEST(KnockoutInputs, GiveTheSameInEveryType) {
  const auto run = [](torch::Dtype type) {
    std::vector<torch::Tensor> outputs;
    for (const Placeholder& placeholder :
         {Placeholder::z_score(), Placeholder::learned(), Placeholder::mean()}) {
      Knockout knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                              .shape = {4},
                                                              .placeholder = placeholder,
                                                              .force_placeholder = true,
                                                              .knockout_rate = 0.5,
                                                              .separate_features = true}},
                                              .keep_at_least_one = true});
      const torch::Tensor input = torch::arange(80, torch::kFloat32).reshape({20, 4}).to(type);
      input[3].fill_(NAN);
      input[4][1] = INFINITY;
      knockout->observe({torch::full({6, 4}, 1.5).to(type)});
      knockout->to(type);
      outputs.push_back(knockout->forward(input));
      EXPECT_EQ(outputs.back().scalar_type(), type);
      knockout->eval();
      outputs.push_back(knockout->forward(input));
    }
    return torch::cat(outputs).to(torch::kFloat64);
  };
  const torch::Tensor expected = run(torch::kFloat32);
  for (const auto type : {torch::kFloat64, torch::kFloat16, torch::kBFloat16}) {
    EXPECT_TRUE(run(type).equal(expected)) << c10::toString(type);
  }
}

TEST(KnockoutInputs, KeepTheirMemoryFormatAndMayBeViews) {
  for (const Placeholder& placeholder : {Placeholder::constant(-1), Placeholder::learned()}) {
    Knockout knockout(KnockoutModuleOptions{.modalities = {{.name = "image",
                                                            .shape = {3, -1, -1},
                                                            .placeholder = placeholder,
                                                            .knockout_rate = 0.5,
                                                            .separate_features = true}}});
    const torch::Tensor images = torch::rand({8, 3, 5, 4});
    const auto run = [&](const torch::Tensor& input) {
      knockout->set_step(1);
      return knockout->forward(input);
    };
    const torch::Tensor expected = run(images);
    const torch::Tensor channels_last = run(images.contiguous(torch::MemoryFormat::ChannelsLast));
    EXPECT_TRUE(channels_last.equal(expected));
    EXPECT_TRUE(channels_last.is_contiguous(torch::MemoryFormat::ChannelsLast));
    EXPECT_TRUE(run(images.transpose(2, 3).contiguous().transpose(2, 3)).equal(expected));
    EXPECT_TRUE(run(torch::cat({images, images}, 3).narrow(3, 4, 4)).equal(expected));
    EXPECT_TRUE(run(images.narrow(0, 0, 1).expand({8, 3, 5, 4}))
                    .equal(run(images.narrow(0, 0, 1).repeat({8, 1, 1, 1}))));
  }
}

}  // namespace
}  // namespace knockout::nn
