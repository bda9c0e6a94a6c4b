// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "knockout/base/error.h"

namespace knockout::nn {
namespace {

TEST(DiceMetric, CountsTheVoxelsOfEachRegion) {
  const torch::Tensor labels = torch::tensor({0, 1, 2, 3, 1, -1, 0, 0}).reshape({2, 4});
  const torch::Tensor found = torch::tensor({0, 1, 1, 3, 0, 2, 2, 0}).reshape({2, 4});
  const std::vector<Region> regions = {{1, 2, 3}, {1}, {2}, {3}, {4}};
  const std::vector<double> overlaps = dice(found, labels, regions);
  // Whole: found {1, 2, 3, 6}, there {1, 2, 3, 4}; the voxel without a label counts nowhere.
  EXPECT_DOUBLE_EQ(overlaps[0], 2.0 * 3 / 8);
  EXPECT_DOUBLE_EQ(overlaps[1], 2.0 * 1 / 4);
  EXPECT_DOUBLE_EQ(overlaps[2], 0.0);
  EXPECT_DOUBLE_EQ(overlaps[3], 1.0);
  EXPECT_DOUBLE_EQ(overlaps[4], 1.0) << "empty on both sides";
}

TEST(Metrics, AreUndefinedWithoutLabels) {
  const torch::Tensor none = torch::tensor({-1, -1}), found = torch::tensor({0, 1});
  const std::vector<Region> regions = {{1}};
  EXPECT_TRUE(std::isnan(dice(found, none, regions)[0]));
  EXPECT_TRUE(std::isnan(accuracy(found, none)));
  EXPECT_TRUE(std::isnan(f1(found, none, F1Average::kMacro)));
  EXPECT_TRUE(std::isnan(auroc(found, none)));
  EXPECT_TRUE(std::isnan(auroc(found, torch::tensor({1, 1}))));
  EXPECT_TRUE(std::isnan(f1(torch::tensor({0}), torch::tensor({0}), F1Average::kBinary)));
}

TEST(Metrics, RefuseShapesThatDiffer) {
  EXPECT_THROW(accuracy(torch::zeros({3}), torch::zeros({3, 1})), ConfigError);
}

TEST(Accuracy, IsTheShareOfLabelledRowsThatAreRight) {
  EXPECT_DOUBLE_EQ(accuracy(torch::tensor({1, 2, 0, 5}), torch::tensor({1, 0, 0, -1})), 2.0 / 3);
}

TEST(F1, IsItsFormulaOfHitsAndMisses) {
  const torch::Tensor labels = torch::tensor({0, 0, 1, 1, 1, 3, -1});
  const torch::Tensor found = torch::tensor({0, 1, 1, 1, 0, 3, 1});
  const double zero = 2.0 * 1 / (2 * 1 + 1 + 1), one = 2.0 * 2 / (2 * 2 + 1 + 1), three = 1.0;
  EXPECT_DOUBLE_EQ(f1(found, labels, F1Average::kBinary, 4), one);
  EXPECT_DOUBLE_EQ(f1(found, labels, F1Average::kMacro, 4), (zero + one + three) / 3);
  EXPECT_DOUBLE_EQ(f1(found, labels, F1Average::kMicro, 4), accuracy(found, labels));
}

TEST(F1, RefusesAClassThatDoesNotExist) {
  EXPECT_THROW(f1(torch::tensor({2}), torch::tensor({1}), F1Average::kBinary), DataError);
}

TEST(Auroc, IsTheShareOfPairsInOrderWithTiesAsHalf) {
  torch::manual_seed(3);
  for (const int levels : {3, 1000}) {  // many ties, hardly any
    const torch::Tensor scores = torch::randint(levels, {60}).to(torch::kFloat32) / 7;
    const torch::Tensor labels = torch::randint(-1, 2, {60});
    double in_order = 0.0, pairs = 0.0;
    for (int i = 0; i < 60; ++i) {
      for (int j = 0; j < 60; ++j) {
        if (labels[i].item<int>() != 1 || labels[j].item<int>() != 0) continue;
        const auto above = scores[i].item<float>(), below = scores[j].item<float>();
        in_order += above > below ? 1.0 : above == below ? 0.5 : 0.0;
        pairs += 1.0;
      }
    }
    EXPECT_NEAR(auroc(scores, labels), in_order / pairs, 1e-12);
  }
}

TEST(Auroc, IsUndefinedForScoresThatAreNotNumbers) {
  EXPECT_TRUE(std::isnan(auroc(torch::tensor({0.5f, NAN}), torch::tensor({0, 1}))));
}

}  // namespace
}  // namespace knockout::nn
