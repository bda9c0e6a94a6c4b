// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/knockout_embedding.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"
#include "knockout/nn/test_refusals.h"

namespace knockout::nn {
namespace {

TEST(KnockoutEmbedding, HasRowsOfItsOwnForMissingCodes) {
  KnockoutEmbedding embedding(KnockoutEmbeddingImpl::Options{.categories = 3, .dimension = 2});
  embedding->eval();
  const torch::Tensor rows = embedding->forward(torch::tensor({0, 2, -1, -2}, torch::kInt64));
  for (const auto& [row, table_row] : {std::pair{0, 0}, {1, 2}, {2, 3}, {3, 4}}) {
    EXPECT_TRUE(torch::equal(rows[row], embedding->weight()[table_row]));
  }
}

TEST(KnockoutEmbedding, KnocksCodesOutWhileTraining) {
  KnockoutEmbedding embedding(KnockoutEmbeddingImpl::Options{
      .categories = 3, .dimension = 2, .columns = 2, .knockout_rate = 0.5, .seed = 9});
  const torch::Tensor codes = torch::randint(3, {50, 2}, torch::kInt64);
  const torch::Tensor rows = embedding->forward(codes);
  const KnockoutPlan plan{
      .units = 2, .parts = {{.unit_rates = {0.5, 0.5}}}, .never_missing = {false, false}};
  const KnockoutSampler sampler(plan, Random(9, Stream::kKnockout));
  std::vector<std::uint8_t> mask(2);
  for (int row = 0; row < 50; ++row) {
    sampler.draw(0, row, mask);
    for (int column = 0; column < 2; ++column) {
      const auto expected = mask[column] != 0 ? 3 : codes[row][column].item<std::int64_t>();
      EXPECT_TRUE(torch::equal(rows[row][column], embedding->weight()[expected]));
    }
  }
}

TEST(KnockoutEmbedding, RefusesCodesItDoesNotKnow) {
  KnockoutEmbedding embedding(KnockoutEmbeddingImpl::Options{.categories = 3});
  EXPECT_THROW(embedding->forward(torch::tensor({3}, torch::kInt64)), DataError);
  EXPECT_THROW(embedding->forward(torch::tensor({-3}, torch::kInt64)), DataError);
  EXPECT_THROW(embedding->forward(torch::zeros({2, 2}, torch::kInt64)), ConfigError);
}

// --- numbers and categories under one p(M) ---

/// A number and two columns of codes; the number and the second column go missing together.
Knockout mixed_table(double rate, bool keep_at_least_one = false) {
  return Knockout(KnockoutModuleOptions{
      .modalities =
          {{.name = "number",
            .shape = {},
            .placeholder = Placeholder::z_score(),
            .knockout_rate = rate,
            .group = "together"},
           {.name = "colour",
            .shape = {1},
            .placeholder = Placeholder::code(),
            .knockout_rate = rate},
           {.name = "kind", .shape = {1}, .placeholder = Placeholder::code(), .group = "together"}},
      .keep_at_least_one = keep_at_least_one,
      .seed = 5});
}

TEST(KnockoutOfCodes, FollowsTheMaskThatNumbersFollow) {
  Knockout knockout = mixed_table(0.5);
  const torch::Tensor mask = knockout->draw(0, 200);
  const torch::Tensor codes = torch::randint(3, {200, 1}, torch::kInt64);
  const auto outputs = knockout->forward_all({torch::rand({200}), codes, codes});
  EXPECT_TRUE(outputs[0].eq(10).equal(mask.select(1, 0).eq(1)));
  for (const int modality : {1, 2}) {
    const torch::Tensor gone = mask.narrow(1, modality == 1 ? 1 : 0, 1).eq(1);
    EXPECT_EQ(outputs[modality].scalar_type(), torch::kInt64);
    EXPECT_TRUE(outputs[modality].equal(torch::where(gone, torch::full_like(codes, -1), codes)));
  }
}

TEST(KnockoutOfCodes, KnowsBothKindsOfGapsAndThePresenceMask) {
  Knockout knockout = mixed_table(0.0);
  const torch::Tensor number = torch::zeros({4});
  const torch::Tensor codes = torch::tensor({2, -1, -2, -2}, torch::kInt64).unsqueeze(1);
  const torch::Tensor presence = torch::ones({4, 3});
  presence[3][1] = 0;
  EXPECT_TRUE(knockout->forward_all({number, codes, codes}, presence)[1].flatten().equal(
      torch::tensor({2, -1, -2, -1}, torch::kInt64)));
  const torch::Tensor absent = knockout->forward_all({number, torch::Tensor(), codes})[1];
  EXPECT_TRUE(absent.equal(torch::full({4, 1}, -1, torch::kInt64)));
  // Bytes have no -1.
  const torch::Tensor bytes = torch::tensor({1, 2, 250, 0}, torch::kUInt8).unsqueeze(1);
  presence[0][1] = 0;
  EXPECT_TRUE(knockout->forward_all({number, bytes, codes}, presence)[1].flatten().equal(
      torch::tensor({-1, 2, 250, -1}, torch::kInt64)));
  expect_refusal([&] { knockout->forward_all({number, number.unsqueeze(1), codes}); }, "integers");
  expect_refusal(
      [&] {
        knockout->forward_all({codes.squeeze(1), codes, codes});
      },
      "Placeholder::code()");
}

TEST(KnockoutOfCodes, TakesTheSecondPlaceholderWhenGapsAreForAReason) {
  Knockout knockout(KnockoutModuleOptions{
      .modalities = {{.name = "colour", .shape = {1}, .placeholder = Placeholder::code()}},
      .plan = KnockoutPlan{.units = 1, .parts = {{.unit_rates = {1.0}}}, .reason_share = 1.0}});
  EXPECT_TRUE(knockout->forward(torch::zeros({3, 1}, torch::kInt64))
                  .equal(torch::full({3, 1}, -2, torch::kInt64)));
}

TEST(KnockoutOfCodes, CountsCodesAmongWhatARowKeeps) {
  Knockout knockout = mixed_table(1.0, /*keep_at_least_one=*/true);
  // Of each row only the colour is there.
  const auto outputs =
      knockout->forward_all({torch::full({50}, NAN), torch::full({50, 1}, 2, torch::kInt64),
                             torch::full({50, 1}, -1, torch::kInt64)});
  EXPECT_TRUE(outputs[1].eq(2).all().item<bool>());
}

TEST(KnockoutOfCodes, LeavesAnEmbeddingNothingToKnockOut) {
  Knockout knockout = mixed_table(0.5);
  KnockoutEmbedding embedding(KnockoutEmbeddingImpl::Options{
      .categories = 3, .dimension = 2, .knockout_rate = 0.0, .seed = 5});
  const torch::Tensor codes = torch::randint(3, {60, 1}, torch::kInt64);
  const torch::Tensor mask = knockout->draw(0, 60).select(1, 1);
  const torch::Tensor rows =
      embedding->forward(knockout->forward_all({torch::rand({60}), codes, codes})[1]);
  const torch::Tensor expected = torch::where(mask.eq(1), 3, codes.squeeze(1));
  EXPECT_TRUE(rows.squeeze(1).equal(embedding->weight().index_select(0, expected)));

  // The same seed and member do no harm in a module that never knocks anything out.
  torch::nn::ModuleList both;
  both->push_back(knockout.ptr());
  both->push_back(embedding.ptr());
  EXPECT_NO_THROW(check_knockouts(*both));
}

}  // namespace
}  // namespace knockout::nn
