// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/torch_recipe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/nn/module/knockout.h"

namespace knockout::experiments {
namespace {

torch::Tensor masks_of(const TumorOptions& options) {
  return nn::Knockout(tumor_masks(options, 4, 3))->draw(0, 2000).ne(0);
}

TEST(TumorMasks, LeaveHalfOfTheRowsCompleteAndNoneEmptyByDefault) {
  const torch::Tensor gone = masks_of({});
  const double complete = gone.any(1).logical_not().to(torch::kFloat64).mean().item<double>();
  EXPECT_NEAR(complete, 0.5, 4 * std::sqrt(0.25 / 2000));
  EXPECT_FALSE(gone.all(1).any().item<bool>());
}

TEST(TumorMasks, LeaveAnImageOnlyWhereToldTo) {
  TumorOptions options;
  options.knockout_rate = 0.8;
  EXPECT_FALSE(masks_of(options).all(1).any().item<bool>());
  options.keep_one = false;
  const double empty = masks_of(options).all(1).to(torch::kFloat64).mean().item<double>();
  const double expected = std::pow(0.8, 4);
  EXPECT_NEAR(empty, expected, 4 * std::sqrt(expected * (1 - expected) / 2000));
}

TEST(TumorMasks, AreOfRowsOrOfWholeBatches) {
  TumorOptions options;
  options.knockout_rate = 0.5;
  const auto alike = [](const torch::Tensor& masks) {
    return masks.equal(masks[0].expand_as(masks));
  };
  EXPECT_FALSE(alike(masks_of(options)));
  options.masks = "batch";
  EXPECT_TRUE(alike(masks_of(options)));
}

/// Two voxels, of classes 1 and 0, of which the network says 3/4 and 1/2 that they are class 1.
TEST(TumorLoss, IsCrossEntropySoftDiceOrTheirSum) {
  const double log3 = std::log(3.0);
  const torch::Tensor scores =
      torch::tensor({0.0, 0.0, log3, 0.0}, torch::kFloat64).reshape({1, 2, 2});
  const torch::Tensor labels = torch::tensor({1, 0}).reshape({1, 2});
  const double entropy = (std::log(4.0 / 3) + std::log(2.0)) / 2;
  const double soft_dice = 1 - 2 * 0.75 / (0.75 + 0.5 + 1);
  TumorOptions options;
  const auto loss = [&] { return tumor_loss(options, scores, labels).item<double>(); };
  EXPECT_NEAR(loss(), entropy + soft_dice, 1e-5);
  options.loss = "dice";
  EXPECT_NEAR(loss(), soft_dice, 1e-5);
  options.loss = "cross-entropy";
  EXPECT_NEAR(loss(), entropy, 1e-5);
}

}  // namespace
}  // namespace knockout::experiments
