// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/networks/fusion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>

#include "knockout/base/error.h"
#include "knockout/nn/networks/cnn3d.h"
#include "knockout/nn/test_gradients.h"
#include "knockout/nn/test_operations.h"
#include "knockout/nn/test_refusals.h"

namespace knockout::nn {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Cnn3d small_cnn() {
  return Cnn3d(Cnn3dOptions{.widths = {2}, .grid = {1, 1, 1}, .latent = 3, .outputs = 0});
}

/// A volume and a vector; their latents have 3 and 2 numbers. No knockout: only real gaps count.
Fusion small_fusion(double knockout_rate = 0.0, Cnn3d cnn = small_cnn()) {
  torch::manual_seed(7);
  Fusion network(FusionOptions{
      .encoders = {cnn, Mlp(MlpOptions{.inputs = 4, .hidden = {5}, .outputs = 2})},
      .knockout = {.modalities = {{.name = "scan",
                                   .shape = {3},
                                   .placeholder = Placeholder::constant(0.5, -2.0),
                                   .force_placeholder = true,
                                   .knockout_rate = knockout_rate},
                                  {.name = "blood", .shape = {2}, .knockout_rate = knockout_rate}}},
      .head_hidden = {6}});
  network->to(torch::kFloat64);
  return network;
}

torch::Tensor scans(std::int64_t rows) { return torch::randn({rows, 1, 2, 2, 2}, torch::kFloat64); }
torch::Tensor blood(std::int64_t rows) { return torch::randn({rows, 4}, torch::kFloat64); }

TEST(Fusion, HasTheGradientsOfItsOutputsWithGaps) {
  Fusion network = small_fusion();
  const std::vector<torch::Tensor> inputs = {scans(4), blood(4)};
  inputs[0][1].fill_(NAN);
  const torch::Tensor presence = torch::tensor({1, 1, 1, 1, 1, 0, 1, 1}).reshape({4, 2});
  expect_right_gradients(network->parameters(),
                         [&] { return network->forward(inputs, presence).square().sum(); });
}

TEST(Fusion, AnswersAMissingModalityTheSameHoweverItIsTold) {
  Fusion network = small_fusion();
  network->eval();
  const torch::Tensor vectors = blood(3);
  const torch::Tensor absent = network->forward({torch::Tensor(), vectors});
  const torch::Tensor no_scan = torch::tensor({0, 1, 0, 1, 0, 1}).reshape({3, 2});
  const torch::Tensor nan = torch::full({3, 1, 2, 2, 2}, NAN, torch::kFloat64);
  EXPECT_TRUE(network->forward({nan, vectors}).equal(absent));
  EXPECT_TRUE(network->forward({scans(3), vectors}, no_scan).equal(absent));
  EXPECT_TRUE(network->forward({torch::full_like(nan, kInfinity), vectors}, no_scan).equal(absent));
  EXPECT_FALSE(network->forward({scans(3), vectors}).equal(absent));
}

TEST(Fusion, GivesEachKindOfGapItsPlaceholder) {
  Fusion network = small_fusion();
  network->eval();
  torch::Tensor volumes = scans(3);
  volumes[0].fill_(NAN);
  volumes[1].fill_(-kInfinity);
  const torch::Tensor latents = network->latents({volumes, blood(3)})[0];
  EXPECT_TRUE((latents[0] == 0.5).all().item<bool>());
  EXPECT_TRUE((latents[1] == -2.0).all().item<bool>());
  EXPECT_TRUE(latents[2].isfinite().all().item<bool>());
}

TEST(Fusion, RowsDoNotDependOnTheNumbersOfAModalityTheyLack) {
  Fusion network = small_fusion();
  const torch::Tensor presence = torch::tensor({0, 1, 1, 1, 1, 0, 1, 1}).reshape({4, 2});
  const torch::Tensor volumes = scans(4), vectors = blood(4);
  const torch::Tensor before = network->forward({volumes, vectors}, presence);
  for (const double garbage : {1e30, static_cast<double>(NAN), kInfinity}) {
    volumes[0].fill_(garbage);
    vectors[2].fill_(garbage);
    network->zero_grad();
    const torch::Tensor after = network->forward({volumes, vectors}, presence);
    EXPECT_TRUE(after.equal(before)) << garbage;
    after.sum().backward();
    for (const auto& parameter : network->named_parameters()) {
      EXPECT_TRUE(parameter.value().grad().isfinite().all().item<bool>()) << parameter.key();
    }
  }
}

TEST(Fusion, ShowsBatchNormOnlyTheRowsThatAreThere) {
  Cnn3d cnn = small_cnn(), alone = small_cnn();
  Fusion network = small_fusion(0.0, cnn);
  alone->to(torch::kFloat64);
  std::stringstream file;
  torch::save(cnn, file);
  torch::load(alone, file);

  const torch::Tensor volumes = scans(5);
  volumes[3].fill_(NAN);
  const torch::Tensor presence = torch::ones({5, 2}, torch::kBool);
  presence[0][0] = false;
  const torch::Tensor there = torch::tensor({1, 2, 4});
  const torch::Tensor latents = network->latents({volumes, blood(5)}, presence)[0];
  const torch::Tensor expected = alone->latent(volumes.index_select(0, there));
  EXPECT_TRUE(latents.index_select(0, there).equal(expected));
  for (const auto& buffer : alone->named_buffers()) {
    EXPECT_TRUE(cnn->named_buffers()[buffer.key()].equal(buffer.value())) << buffer.key();
  }
}

TEST(Fusion, LeavesAnEncoderThatNoRowNeedsAlone) {
  Cnn3d cnn = small_cnn();
  Fusion network = small_fusion(0.0, cnn);
  const torch::Tensor mean = cnn->named_buffers()["blocks.1.running_mean"].clone();
  const torch::Tensor nan = torch::full({2, 1, 2, 2, 2}, NAN, torch::kFloat64);
  for (const torch::Tensor& volumes : {torch::Tensor(), nan}) {
    network->forward({volumes, blood(2)}).sum().backward();
    EXPECT_TRUE(cnn->named_buffers()["blocks.1.running_mean"].equal(mean));
    EXPECT_FALSE(cnn->parameters()[0].grad().defined());
  }
}

TEST(Fusion, KnocksLatentsOutInTrainingByItsMasks) {
  Fusion network = small_fusion(0.5);
  const torch::Tensor mask = network->knockout()->draw(0, 40);
  const std::vector<torch::Tensor> latents = network->latents({scans(40), blood(40)});
  const torch::Tensor knocked_out = (latents[0] == 0.5).all(1);
  EXPECT_TRUE(knocked_out.equal(mask.select(1, 0) == 1));
  EXPECT_TRUE((latents[1] == 10.0).all(1).equal(mask.select(1, 1) == 1));
}

TEST(ModalityEncoder, MayBeAnyMethodOfANetwork) {
  Cnn3d cnn(Cnn3dOptions{.widths = {2}, .grid = {1, 1, 1}, .latent = 3, .outputs = 2});
  cnn->to(torch::kFloat64);
  cnn->eval();
  const torch::Tensor volumes = scans(2);
  const ModalityEncoder by_latent(cnn, &Cnn3dImpl::latent), by_forward = cnn;
  EXPECT_TRUE(by_latent.encode(volumes).equal(cnn->latent(volumes)));
  EXPECT_TRUE(by_forward.encode(volumes).equal(cnn->forward(volumes)));
}

TEST(Fusion, AnswersRowsThatHaveNothing) {
  Fusion network = small_fusion();
  network->eval();
  const torch::Tensor nothing = torch::zeros({2, 2}, torch::kBool);
  const torch::Tensor prior = network->forward({torch::Tensor(), torch::Tensor()}, nothing);
  EXPECT_TRUE(prior.isfinite().all().item<bool>());
  EXPECT_TRUE(network->forward({scans(2), blood(2)}, nothing).equal(prior));
}

TEST(Fusion, NamesTheRowThatIsMissingInPart) {
  Fusion network = small_fusion();
  const torch::Tensor vectors = blood(3);
  vectors[2][1] = NAN;
  try {
    network->forward({scans(3), vectors});
    FAIL();
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("\"blood\", row 2"), std::string::npos) << message;
  }
}

TEST(Fusion, RefusesInputsThatDoNotMatchItsModalities) {
  Fusion network = small_fusion();
  EXPECT_THROW(network->forward({scans(2)}), ConfigError);
  EXPECT_THROW(network->forward({scans(2), blood(2)}, torch::ones({2, 3})), ConfigError);
  EXPECT_THROW(network->forward({scans(2), blood(3)}), ConfigError);
  EXPECT_THROW(network->forward({scans(2), torch::tensor(1.0)}), ConfigError);
  EXPECT_THROW(Fusion(FusionOptions{.encoders = {}, .knockout = {.modalities = {{.name = "x"}}}}),
               ConfigError);
}

TEST(Fusion, SaysTheSameAfterSaveAndLoad) {
  Fusion network = small_fusion(0.5), other = small_fusion(0.5);
  const std::vector<torch::Tensor> inputs = {scans(3), blood(3)};
  network->forward(inputs).sum().backward();
  torch::optim::SGD(network->parameters(), 0.1).step();
  std::stringstream file;
  torch::save(network, file);
  torch::load(other, file);
  EXPECT_TRUE(network->forward(inputs).equal(other->forward(inputs))) << "masks included";
}

TEST(Fusion, StandsInASequential) {
  Fusion fusion = small_fusion();
  torch::nn::Sequential network(fusion, torch::nn::Sigmoid());
  network->eval();
  const std::vector<torch::Tensor> inputs = {scans(3), blood(3)};
  EXPECT_TRUE(network->forward(inputs).equal(fusion->forward(inputs).sigmoid()));
}

TEST(Fusion, AnswersAnEmptyBatch) {
  Fusion network = small_fusion(0.5);
  for (const bool training : {true, false}) {
    network->train(training);
    EXPECT_EQ(network->forward({scans(0), blood(0)}, torch::ones({0, 2})).sizes(),
              torch::IntArrayRef({0, 1}));
    EXPECT_EQ(network->forward({scans(0), torch::Tensor()}).sizes(), torch::IntArrayRef({0, 1}));
  }
}

/// Placeholders that are the means of the latents, with an encoder of known numbers.
TEST(Fusion, ObservesTheMeansOfItsLatents) {
  Mlp encoder(MlpOptions{.inputs = 2, .hidden = {}, .outputs = 1});
  Cnn3d cnn = small_cnn();
  Fusion network(FusionOptions{.encoders = {encoder, cnn},
                               .knockout = {.modalities = {{.name = "x",
                                                            .shape = {1},
                                                            .placeholder = Placeholder::mean(),
                                                            .force_placeholder = true},
                                                           {.name = "scan",
                                                            .shape = {3},
                                                            .placeholder = Placeholder::mean(),
                                                            .force_placeholder = true}}}});
  {
    const torch::NoGradGuard no_gradients;
    encoder->parameters()[0].copy_(torch::tensor({{1.0, 10.0}}));
    encoder->parameters()[1].zero_();
  }
  EXPECT_TRUE(network->knockout()->needs_means());
  cnn->eval();  // as one keeps a frozen encoder
  const torch::Tensor running_mean = cnn->named_buffers()["blocks.1.running_mean"].clone();
  const torch::Tensor x = torch::tensor({{1.0f, 1.0f}, {NAN, NAN}, {3.0f, 0.0f}, {100.0f, 100.0f}});
  const torch::Tensor presence = torch::ones({4, 2}, torch::kBool);
  presence[3][0] = false;
  const torch::Tensor volumes = torch::randn({4, 1, 2, 2, 2});
  network->observe({x, volumes}, presence);
  EXPECT_FALSE(network->knockout()->needs_means());
  EXPECT_TRUE(cnn->named_buffers()["blocks.1.running_mean"].equal(running_mean));
  EXPECT_TRUE(network->is_training() && encoder->is_training());
  EXPECT_FALSE(cnn->is_training() || cnn->named_modules()["blocks.1"]->is_training());

  network->eval();
  const auto latents = network->latents({torch::Tensor(), torch::Tensor()}, torch::zeros({1, 2}));
  EXPECT_EQ(latents[0].item<float>(), 7.0f);  // (11 + 3) / 2
  EXPECT_TRUE(torch::allclose(latents[1][0], cnn->forward(volumes).mean(0), 1e-4, 1e-6));
}

// What is read comes as one copy for all modalities, never number by number.
TEST(Fusion, AsksForNoSingleNumbers) {
  Fusion network = small_fusion(0.5);
  const std::vector<torch::Tensor> inputs = {scans(5), blood(5)};
  inputs[0][1].fill_(NAN);
  network->forward(inputs);  // the step is read once
  const RecordedOperations operations;
  network->forward(inputs, torch::ones({5, 2}));
  EXPECT_GT(operations.count("aten::isfinite"), 0);
  EXPECT_EQ(operations.count("aten::_local_scalar_dense"), 0);
}

TEST(Fusion, RefusesLatentsOfAnySize) {
  expect_refusal(
      [] {
        Fusion(FusionOptions{.encoders = {Mlp(MlpOptions{})},
                             .knockout = {.modalities = {{.name = "x", .shape = {-1}}}}});
      },
      "the head needs its size");
}

TEST(Fusion, NoticesLatentsThatAreNotFiniteUnlessToldNotTo) {
  for (const bool check : {true, false}) {
    Mlp encoder(MlpOptions{.inputs = 1, .hidden = {}});
    Fusion network(FusionOptions{
        .encoders = {encoder, Mlp(MlpOptions{})},
        .knockout = {.modalities = {{.name = "a", .shape = {1}}, {.name = "b", .shape = {1}}}},
        .check_latents = check});
    torch::NoGradGuard no_gradients;
    encoder->parameters()[0].fill_(NAN);
    const std::vector<torch::Tensor> inputs = {torch::ones({2, 1}), torch::ones({2, 1})};
    if (!check) {
      EXPECT_NO_THROW(network->forward(inputs));
      continue;
    }
    try {
      network->forward(inputs);
      FAIL();
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("encoder of \"a\""), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace knockout::nn
