// SPDX-License-Identifier: Apache-2.0
// A clone of a network says the same, and goes its own way from there.
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "knockout/nn/module/knockout_embedding.h"
#include "knockout/nn/networks/cnn3d.h"
#include "knockout/nn/networks/fusion.h"
#include "knockout/nn/networks/late_fusion.h"
#include "knockout/nn/networks/mlp.h"
#include "knockout/nn/networks/unet3d.h"
#include "knockout/nn/networks/wide_resnet.h"

namespace knockout::nn {
namespace {

/// Trains the clone for a step: it must change, and the original must not.
template <typename Holder>
void expect_a_clone_of_its_own(Holder network,
                               const std::function<torch::Tensor(Holder&)>& predict) {
  predict(network);  // so that batch norms and steps have moved
  Holder copy(std::dynamic_pointer_cast<typename Holder::ContainedType>(network->clone()));
  ASSERT_EQ(copy->named_parameters().keys(), network->named_parameters().keys());
  ASSERT_EQ(copy->named_buffers().keys(), network->named_buffers().keys());
  EXPECT_TRUE(copy->is_training());
  network->eval();
  copy->eval();
  const torch::Tensor before = predict(network);
  EXPECT_TRUE(predict(copy).equal(before));

  copy->train();
  torch::optim::SGD optimizer(copy->parameters(), 0.1);
  predict(copy).square().sum().backward();
  optimizer.step();
  copy->eval();
  EXPECT_FALSE(predict(copy).equal(before));
  EXPECT_TRUE(predict(network).equal(before));
  for (const torch::Tensor& parameter : network->parameters()) {
    EXPECT_FALSE(parameter.grad().defined());
  }
}

TEST(Clone, OfAnMlp) {
  const torch::Tensor x = torch::randn({5, 3});
  expect_a_clone_of_its_own<Mlp>(Mlp(MlpOptions{.inputs = 3, .dropout_rate = 0.2}),
                                 [&](Mlp& mlp) { return mlp->forward(x); });
}

TEST(Clone, OfALateFusion) {
  const std::vector<torch::Tensor> x = {torch::randn({5, 3}), torch::randn({5, 2})};
  expect_a_clone_of_its_own<LateFusion>(LateFusion(LateFusionOptions{.inputs = {3, 2}}),
                                        [&](LateFusion& network) { return network->forward(x); });
}

TEST(Clone, OfAWideResNet) {
  const torch::Tensor images = torch::randn({4, 3, 8, 8}), side = torch::randn({4, 2});
  expect_a_clone_of_its_own<WideResNet>(
      WideResNet(WideResNetOptions{.depth = 10, .width = 1, .side_inputs = 2}),
      [&](WideResNet& network) { return network->forward(images, side); });
}

TEST(Clone, OfAUNet) {
  const torch::Tensor volumes = torch::randn({2, 1, 4, 6, 4});
  expect_a_clone_of_its_own<UNet3d>(
      UNet3d(UNet3dOptions{.in_channels = 1, .out_channels = 2, .levels = 2, .base_width = 2}),
      [&](UNet3d& network) { return network->forward(volumes); });
}

TEST(Clone, OfACnn) {
  const torch::Tensor volumes = torch::randn({3, 1, 4, 4, 4});
  for (const std::int64_t outputs : {0, 2}) {
    expect_a_clone_of_its_own<Cnn3d>(
        Cnn3d(Cnn3dOptions{.widths = {2, 3}, .grid = {1, 1, 1}, .latent = 4, .outputs = outputs}),
        [&](Cnn3d& network) { return network->forward(volumes); });
  }
}

TEST(Clone, OfAnEmbedding) {
  const torch::Tensor codes = torch::randint(3, {6, 2}, torch::kInt64);
  expect_a_clone_of_its_own<KnockoutEmbedding>(
      KnockoutEmbedding(KnockoutEmbeddingImpl::Options{.categories = 3, .columns = 2}),
      [&](KnockoutEmbedding& embedding) { return embedding->forward(codes); });
}

FusionOptions two_modalities(ModalityEncoder scan, ModalityEncoder blood) {
  return {.encoders = {std::move(scan), std::move(blood)},
          .knockout = {
              .modalities = {{.name = "scan", .shape = {4}, .placeholder = Placeholder::learned()},
                             {.name = "blood", .shape = {3}}}}};
}

TEST(Clone, OfAFusionWithItsEncoders) {
  Cnn3d cnn(Cnn3dOptions{.widths = {2}, .grid = {1, 1, 1}, .latent = 4});
  Mlp mlp(MlpOptions{.inputs = 5, .outputs = 3});
  const torch::Tensor volumes = torch::randn({6, 1, 2, 2, 2}), vectors = torch::randn({6, 5});
  volumes[1].fill_(NAN);
  Fusion network(two_modalities(ModalityEncoder(cnn, &Cnn3dImpl::latent), mlp));
  network->parameters()[0].set_requires_grad(true);
  expect_a_clone_of_its_own<Fusion>(network, [&](Fusion& fusion) {
    return fusion->forward({volumes, vectors});
  });
  EXPECT_EQ(network->named_modules()["encoder_blood"], mlp.ptr()) << "the original keeps its own";
}

TEST(Clone, OfAFusionKeepsAnEncoderThatServesTwoModalities) {
  Mlp shared(MlpOptions{.inputs = 5, .outputs = 3});
  FusionOptions options = two_modalities(shared, shared);
  options.knockout.modalities[0].shape = {3};
  const Fusion network(options);
  const auto copy = network->clone();
  EXPECT_EQ(copy->named_modules()["encoder_scan"], copy->named_modules()["encoder_blood"]);
  EXPECT_NE(copy->named_modules()["encoder_scan"], shared.ptr());
}

struct NoCloneImpl : torch::nn::Module {
  torch::Tensor forward(const torch::Tensor& x) { return x; }
};
TORCH_MODULE(NoClone);

TEST(Clone, OfAFusionSaysWhichEncoderHasNone) {
  const Fusion network(two_modalities(Mlp(MlpOptions{.inputs = 5, .outputs = 4}), NoClone()));
  try {
    network->clone();
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("NoClone"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace knockout::nn
