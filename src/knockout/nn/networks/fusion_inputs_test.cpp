// SPDX-License-Identifier: Apache-2.0
// Codes of categories, and encoders that do not fit, in a Fusion.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "knockout/base/error.h"
#include "knockout/nn/module/knockout_embedding.h"
#include "knockout/nn/networks/fusion.h"
#include "knockout/nn/test_refusals.h"

namespace knockout::nn {
namespace {

/// Whether all rows are there or only one makes no difference to the message.
TEST(Fusion, NamesTheEncoderWhoseLatentsHaveAnotherShape) {
  for (const std::int64_t gaps : {0, 2}) {
    Fusion network(FusionOptions{
        .encoders = {Mlp(MlpOptions{.inputs = 4, .outputs = 5}), torch::nn::Identity()},
        .knockout = {
            .modalities = {{.name = "blood", .shape = {3}}, {.name = "x", .shape = {1}}}}});
    torch::Tensor vectors = torch::randn({3, 4});
    vectors.slice(0, 0, gaps).fill_(NAN);
    expect_refusal(
        [&] {
          network->forward({vectors, torch::randn({3, 1})});
        },
        gaps == 0 ? "encoder of \"blood\" puts out the shape [3, 5]"
                  : "encoder of \"blood\" puts out the shape [1, 5]");
    expect_refusal(
        [&] {
          network->observe({torch::Tensor(), torch::randn({3, 2})});
        },
        "encoder of \"x\" puts out the shape [3, 2]");
  }
}

/// An embedding of three categories for each of `columns`, beside a number.
Fusion with_categories(ModalityEncoder embedding, std::int64_t columns) {
  Fusion network(FusionOptions{.encoders = {std::move(embedding), torch::nn::Identity()},
                               .knockout = {.modalities = {{.name = "city", .shape = {columns, 2}},
                                                           {.name = "x", .shape = {1}}}}});
  network->eval();
  return network;
}

TEST(Fusion, TakesRowsOfCodesBelowZeroForMissing) {
  for (const bool knockout_embedding : {true, false}) {
    Fusion network = with_categories(
        knockout_embedding ? ModalityEncoder(KnockoutEmbedding(KnockoutEmbeddingImpl::Options{
                                 .categories = 3, .dimension = 2, .columns = 2}))
                           : ModalityEncoder(torch::nn::Embedding(3, 2)),
        2);
    const torch::Tensor codes = torch::tensor({{0, 2}, {-1, -1}, {-2, -2}, {1, 0}});
    const torch::Tensor x = torch::randn({4, 1});
    const torch::Tensor latents = network->latents({codes, x})[0];
    EXPECT_TRUE(latents[1].eq(10).all().item<bool>());
    EXPECT_TRUE(latents[2].eq(-10).all().item<bool>());
    EXPECT_TRUE(latents[0].equal(network->latents({codes.clamp_min(0), x})[0][0]));
  }
}

TEST(Fusion, NamesTheCodeThatAnEncoderDoesNotTake) {
  Fusion network = with_categories(torch::nn::Embedding(3, 2), 2);
  for (const bool gaps : {false, true}) {
    const torch::Tensor codes = torch::tensor({{0, 2}, {1, 0}, {2, -1}});
    if (gaps) codes[0].fill_(-1);
    try {
      network->forward({codes, torch::randn({3, 1})});
      FAIL();
    } catch (const DataError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("\"city\", row 2"), std::string::npos) << message;
      EXPECT_NE(message.find("the code -1"), std::string::npos) << message;
    }
  }
  // One that is no category and not below zero is the encoder's matter.
  EXPECT_THROW(network->forward({torch::tensor({{0, 3}}), torch::randn({1, 1})}), c10::Error);
}

TEST(Fusion, LeavesSingleMissingCodesToAnEmbeddingThatKnowsThem) {
  KnockoutEmbedding embedding(
      KnockoutEmbeddingImpl::Options{.categories = 3, .dimension = 2, .columns = 2});
  Fusion network = with_categories(embedding, 2);
  const torch::Tensor codes = torch::tensor({{2, -1}});
  EXPECT_TRUE(network->latents({codes, torch::randn({1, 1})})[0].equal(embedding->forward(codes)));
}

}  // namespace
}  // namespace knockout::nn
