// SPDX-License-Identifier: Apache-2.0
// Knockout that never takes a row's last input, also in rows with gaps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "knockout/nn/module/knockout.h"
#include "knockout/nn/training/patches.h"

namespace knockout::nn {
namespace {

constexpr std::int64_t kRows = 12000;

Knockout keeps_one(std::int64_t units, double rate, bool keep = true) {
  return Knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                        .shape = {units},
                                                        .placeholder = Placeholder::constant(-1),
                                                        .knockout_rate = rate,
                                                        .separate_features = true}},
                                        .keep_at_least_one = keep,
                                        .seed = 8});
}

TEST(KeepAtLeastOne, LeavesTheMasksOfCompleteRowsToTheSampler) {
  Knockout knockout = keeps_one(3, 0.7);
  const torch::Tensor kept = knockout->forward(torch::ones({kRows, 3})).eq(1);
  EXPECT_TRUE(kept.equal(knockout->draw(0, kRows).eq(0)));
  EXPECT_TRUE(kept.any(1).all().item<bool>());
}

/// Every unit is knocked out, so that exactly one of those that are there comes back: equally
/// often each, also given which one the sampler chose.
TEST(KeepAtLeastOne, GivesOneOfTheAvailableUnitsBackEquallyOften) {
  for (const std::vector<int>& gaps :
       {std::vector<int>{0}, {1}, {3}, {0, 1}, {0, 3}, {1, 2}, {0, 1, 2}}) {
    Knockout knockout = keeps_one(4, 1.0);
    torch::Tensor input = torch::ones({kRows, 4});
    for (const int gap : gaps) input.select(1, gap).fill_(NAN);
    const torch::Tensor kept = knockout->forward(input).eq(1);
    EXPECT_TRUE(kept.sum(1).eq(1).all().item<bool>()) << "one and no more";
    const double share = 1.0 / static_cast<double>(4 - gaps.size());
    const torch::Tensor found = kept.to(torch::kFloat64).mean(0);
    for (int unit = 0; unit < 4; ++unit) {
      const bool gap = std::count(gaps.begin(), gaps.end(), unit) > 0;
      EXPECT_NEAR(found[unit].item<double>(), gap ? 0.0 : share,
                  gap ? 0.0 : 4 * std::sqrt(share * (1 - share) / kRows) + 1e-12)
          << "unit " << unit << " without " << gaps.size();
    }
  }
}

/// Where something stays anyway, nothing changes.
TEST(KeepAtLeastOne, TouchesOnlyRowsThatWouldLoseAllTheyHave) {
  Knockout with = keeps_one(4, 0.6), without = keeps_one(4, 0.6, /*keep=*/false);
  torch::Tensor input = torch::ones({kRows, 4});
  input.select(1, 2).fill_(NAN);
  const torch::Tensor kept = with->forward(input).eq(1), drawn = without->forward(input).eq(1);
  const torch::Tensor had_some = drawn.any(1, /*keepdim=*/true);
  EXPECT_TRUE(torch::where(had_some, kept, drawn).equal(drawn));
  EXPECT_TRUE(torch::where(had_some, torch::ones({kRows, 1}, torch::kInt64), kept.sum(1, true))
                  .eq(1)
                  .all()
                  .item<bool>());
  EXPECT_FALSE(had_some.all().item<bool>());
}

TEST(KeepAtLeastOne, DependsOnSeedStepAndRowAlone) {
  Knockout whole = keeps_one(3, 1.0), part = keeps_one(3, 1.0);
  torch::Tensor input = torch::ones({40, 3});
  input.select(1, 0).fill_(NAN);
  whole->set_step(6);
  part->set_step(6, /*first_row=*/25);
  const torch::Tensor output = whole->forward(input);
  EXPECT_TRUE(output.slice(0, 25).equal(part->forward(input.slice(0, 25))));
  EXPECT_FALSE(output.equal(whole->forward(input)));  // the next step
}

TEST(KeepAtLeastOne, LeavesRowsThatHaveNothingAlone) {
  Knockout knockout = keeps_one(2, 0.5);
  EXPECT_TRUE(knockout->forward(torch::full({10, 2}, NAN)).equal(torch::full({10, 2}, -1.0)));
}

// A missing image stays missing in a patch that is larger than it.
TEST(KeepAtLeastOne, DoesNotTakeThePaddingOfAMissingImageForAnImage) {
  Knockout knockout(KnockoutModuleOptions{.modalities = {{.name = "volume",
                                                          .shape = {2, -1, -1, -1},
                                                          .placeholder = Placeholder::constant(-1),
                                                          .knockout_rate = 0.9,
                                                          .separate_features = true}},
                                          .keep_at_least_one = true});
  std::vector<torch::Tensor> patches;
  for (std::uint32_t row = 0; row < 60; ++row) {
    torch::Tensor volume = torch::rand({2, 3, 2, 3});
    volume[row % 2].fill_(NAN);
    patches.push_back(
        random_patch(volume, {}, {4, 4, 2}, Random(1, Stream::kShuffle), 0, row).volume);
  }
  const torch::Tensor output = knockout->forward(torch::stack(patches));
  for (std::int64_t row = 0; row < 60; ++row) {
    EXPECT_TRUE(output[row][row % 2].eq(-1).all().item<bool>());
    const torch::Tensor image = patches[static_cast<std::size_t>(row)][1 - row % 2];
    EXPECT_TRUE(output[row][1 - row % 2].equal(image)) << "the only one that is there";
  }
}

}  // namespace
}  // namespace knockout::nn
