// SPDX-License-Identifier: Apache-2.0
// One mask for all rows of a step.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "knockout/nn/module/knockout.h"

namespace knockout::nn {
namespace {

Knockout per_batch(std::int64_t units, double rate, bool keep = false, bool one_mask = true) {
  return Knockout(KnockoutModuleOptions{.modalities = {{.name = "x",
                                                        .shape = {units},
                                                        .placeholder = Placeholder::constant(-1),
                                                        .knockout_rate = rate,
                                                        .separate_features = true}},
                                        .keep_at_least_one = keep,
                                        .one_mask_per_batch = one_mask,
                                        .seed = 5});
}

TEST(OneMaskPerBatch, IsThatOfTheFirstRowForAllOfThem) {
  Knockout batches = per_batch(4, 0.5), rows = per_batch(4, 0.5, false, false);
  bool differs = false;
  for (int step = 0; step < 20; ++step) {
    const torch::Tensor mask = rows->draw(step, 30);
    EXPECT_TRUE(batches->draw(step, 30).equal(mask[0].expand({30, 4})));
    const torch::Tensor kept = batches->forward(torch::ones({30, 4})).eq(1);
    EXPECT_TRUE(kept.equal(mask[0].eq(0).expand({30, 4})));
    differs |= !mask.equal(mask[0].expand({30, 4}));
  }
  EXPECT_TRUE(differs) << "where each row has its own";
}

TEST(OneMaskPerBatch, IsTheSameForTheRowsOfEveryProcess) {
  Knockout first = per_batch(5, 0.5), second = per_batch(5, 0.5);
  for (int step = 0; step < 10; ++step) {
    first->set_step(step);
    second->set_step(step, /*first_row=*/16);
    EXPECT_TRUE(first->forward(torch::ones({16, 5})).equal(second->forward(torch::ones({16, 5}))));
  }
}

/// As the paper words it: in expectation, half of the mini-batches have no induced missing
/// variable.
TEST(OneMaskPerBatch, LeavesHalfOfTheBatchesCompleteAtThePapersRate) {
  Knockout knockout = per_batch(9, kPaperRate);
  constexpr int kBatches = 4000;
  int complete = 0;
  for (int step = 0; step < kBatches; ++step)
    complete += !knockout->draw(step, 2).any().item<bool>();
  EXPECT_NEAR(static_cast<double>(complete) / kBatches, 0.5, 4 * std::sqrt(0.25 / kBatches));
}

TEST(OneMaskPerBatch, StillKeepsAnInputOfEachRow) {
  Knockout knockout = per_batch(3, 1.0, /*keep=*/true);
  torch::Tensor input = torch::ones({40, 3});
  input.slice(0, 20).select(1, 0).fill_(NAN);  // half of the rows lack one
  bool moved = false;
  torch::Tensor before;
  for (int step = 0; step < 20; ++step) {
    const torch::Tensor kept = knockout->forward(input).eq(1);
    EXPECT_TRUE(kept.sum(1).eq(1).all().item<bool>());
    EXPECT_TRUE(kept.slice(0, 0, 20).equal(kept[0].expand({20, 3})));
    EXPECT_TRUE(kept.slice(0, 20).equal(kept[20].expand({20, 3})));
    moved |= before.defined() && !kept.equal(before);
    before = kept;
  }
  EXPECT_TRUE(moved);
}

TEST(OneMaskPerBatch, IsPartOfWhatTellsModulesApart) {
  std::ostringstream one, another;
  one << per_batch(2, 0.5);
  another << per_batch(2, 0.5, false, false);
  EXPECT_NE(one.str(), another.str());
}

TEST(OneMaskPerBatch, DrawsForAnEmptyBatch) {
  EXPECT_EQ(per_batch(2, 0.5)->draw(0, 0).sizes(), torch::IntArrayRef({0, 2}));
}

}  // namespace
}  // namespace knockout::nn
