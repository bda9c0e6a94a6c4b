// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/patches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/nn/networks/unet3d.h"

namespace knockout::nn {
namespace {

const Random kRandom(5, Stream::kShuffle);

/// A volume that says of each voxel where it is: channel 0 = 1 + its number, channel 1 the same
/// negative.
torch::Tensor numbered(const PatchSize& size) {
  const torch::Tensor numbers = torch::arange(1, size[0] * size[1] * size[2] + 1, torch::kFloat32)
                                    .reshape({1, size[0], size[1], size[2]});
  return torch::cat({numbers, -numbers});
}

TEST(RandomPatch, IsAPartOfTheVolumeWithItsLabels) {
  const torch::Tensor volume = numbered({5, 6, 7});
  const torch::Tensor labels = volume[0].to(torch::kInt64);
  for (std::uint32_t row = 0; row < 20; ++row) {
    const Patch patch = random_patch(volume, labels, {2, 3, 4}, kRandom, 0, row);
    ASSERT_EQ(patch.volume.sizes(), torch::IntArrayRef({2, 2, 3, 4}));
    EXPECT_TRUE(patch.volume[0].to(torch::kInt64).equal(patch.labels));
    EXPECT_TRUE(patch.volume[1].equal(-patch.volume[0]));
    const auto first = patch.labels[0][0][0].item<std::int64_t>() - 1;
    const torch::Tensor expected =
        labels.narrow(0, first / 42, 2).narrow(1, first / 7 % 6, 3).narrow(2, first % 7, 4);
    EXPECT_TRUE(patch.labels.equal(expected));
  }
}

TEST(RandomPatch, ReachesEveryPlaceAndNoOther) {
  std::set<std::int64_t> places;
  const torch::Tensor volume = numbered({2, 3, 4});
  for (std::uint32_t row = 0; row < 300; ++row) {
    const Patch patch = random_patch(volume, {}, {2, 2, 2}, kRandom, 1, row);
    EXPECT_FALSE(patch.labels.defined());
    places.insert(patch.volume[0][0][0][0].item<std::int64_t>() - 1);
  }
  EXPECT_EQ(places, (std::set<std::int64_t>{0, 1, 2, 4, 5, 6}));
}

TEST(RandomPatch, ContinuesAMissingChannelByWhatItHolds) {
  torch::Tensor volume = torch::ones({4, 2, 3, 2});
  volume[1].fill_(NAN);
  volume[2].fill_(INFINITY);
  volume[3][0].fill_(NAN);  // in part only
  const torch::Tensor patch = random_patch(volume, {}, {3, 2, 4}, kRandom, 0, 0).volume;
  ASSERT_EQ(patch.sizes(), torch::IntArrayRef({4, 3, 2, 4}));
  const torch::Tensor inside = torch::zeros({3, 2, 4}, torch::kBool);
  inside.slice(0, 0, 2).slice(2, 0, 2).fill_(true);
  EXPECT_TRUE(patch[0].equal(inside.to(torch::kFloat32)));
  EXPECT_TRUE(patch[1].isnan().all().item<bool>());
  EXPECT_TRUE(patch[2].eq(INFINITY).all().item<bool>());
  EXPECT_TRUE(patch[3].masked_select(~inside).eq(0).all().item<bool>());
  EXPECT_EQ(patch[3].isnan().sum().item<int>(), 4);
}

TEST(RandomPatch, DependsOnlyOnSeedDrawAndRow) {
  const torch::Tensor volume = numbered({30, 30, 30});
  const auto at = [&](const Random& random, std::uint64_t draw, std::uint32_t row) {
    return random_patch(volume, {}, {2, 2, 2}, random, draw, row).volume;
  };
  EXPECT_TRUE(at(kRandom, 3, 4).equal(at(Random(5, Stream::kShuffle), 3, 4)));
  EXPECT_FALSE(at(kRandom, 3, 4).equal(at(kRandom, 4, 4)));
  EXPECT_FALSE(at(kRandom, 3, 4).equal(at(kRandom, 3, 5)));
  EXPECT_FALSE(at(kRandom, 3, 4).equal(at(Random(6, Stream::kShuffle), 3, 4)));
}

TEST(RandomPatch, ContinuesASmallVolumeByZerosAndItsLabelsByMissing) {
  const torch::Tensor volume = numbered({2, 5, 3});
  const torch::Tensor labels = torch::zeros({2, 5, 3}, torch::kInt64);
  const Patch patch = random_patch(volume, labels, {4, 2, 3}, kRandom, 0, 0);
  EXPECT_TRUE(patch.volume.narrow(1, 2, 2).equal(torch::zeros({2, 2, 2, 3})));
  EXPECT_TRUE((patch.labels.narrow(0, 2, 2) == -1).all().item<bool>());
  EXPECT_TRUE((patch.labels.narrow(0, 0, 2) == 0).all().item<bool>());
}

TEST(RandomPatch, RefusesLabelsOfAnotherShape) {
  EXPECT_THROW(random_patch(numbered({4, 4, 4}), torch::zeros({4, 4, 3}), {2, 2, 2}, kRandom, 0, 0),
               ConfigError);
}

TEST(PredictByPatches, IsTheWholeVolumesAnswerForANetworkThatWorksVoxelByVoxel) {
  const auto network = [](const torch::Tensor& x) {
    return torch::cat({x.square().sum(1, true), x.narrow(1, 0, 1).sin(), -x}, 1);
  };
  for (const PatchSize& size : {PatchSize{4, 4, 4}, {3, 9, 2}, {1, 1, 1}, {50, 5, 50}}) {
    for (const double overlap : {0.0, 0.3, 0.5, 0.9}) {
      const torch::Tensor volume = torch::randn({2, 2, 5, 9, 7}, torch::kFloat64);
      const torch::Tensor blended =
          predict_by_patches(network, volume, {.size = size, .overlap = overlap});
      EXPECT_TRUE(torch::allclose(blended, network(volume), 1e-12, 1e-12));
    }
  }
}

TEST(PredictByPatches, NeverShowsTheNetworkMoreThanOnePatch) {
  std::int64_t patches = 0;
  const auto network = [&](const torch::Tensor& x) {
    ++patches;
    EXPECT_EQ(x.sizes(), torch::IntArrayRef({1, 1, 4, 4, 4}));
    EXPECT_FALSE(torch::GradMode::is_enabled());
    return x;
  };
  predict_by_patches(network, torch::randn({1, 1, 10, 8, 4}), {.size = {4, 4, 4}, .overlap = 0.5});
  EXPECT_EQ(patches, 4 * 3 * 1);  // from 0, 2, 4, 6; from 0, 2, 4; from 0
}

// Two patches of 4 on 6 voxels, saying 0 and 1: with tents 1 2 2 1 the shares of the second are
// 1 / (2 + 1) and 2 / (1 + 2) where they overlap.
TEST(PredictByPatches, TrustsTheMiddleOfAPatchMoreThanItsBorder) {
  double said = 0.0;
  const auto network = [&](const torch::Tensor& x) { return torch::full_like(x, said++); };
  const torch::Tensor blended =
      predict_by_patches(network, torch::zeros({1, 1, 1, 1, 6}), {.size = {1, 1, 4}});
  EXPECT_TRUE(torch::allclose(blended.flatten(),
                              torch::tensor({0.0f, 0.0f, 1.0f / 3, 2.0f / 3, 1.0f, 1.0f})));
}

TEST(PredictByPatches, WorksWithAUNetOnAnySize) {
  UNet3d network(UNet3dOptions{.in_channels = 1, .out_channels = 2, .levels = 2, .base_width = 2});
  const torch::Tensor scores =
      predict_by_patches([&](const torch::Tensor& x) { return network->forward(x); },
                         torch::randn({1, 1, 11, 5, 9}), {.size = {6, 6, 6}});
  EXPECT_EQ(scores.sizes(), torch::IntArrayRef({1, 2, 11, 5, 9}));
  EXPECT_TRUE(scores.isfinite().all().item<bool>());
}

TEST(PredictByPatches, RefusesAnOverlapThatNeverMovesOn) {
  const auto network = [](const torch::Tensor& x) { return x; };
  EXPECT_THROW(predict_by_patches(network, torch::zeros({1, 1, 4, 4, 4}), {.overlap = 1.0}),
               ConfigError);
  EXPECT_THROW(predict_by_patches(network, torch::zeros({4, 4, 4})), ConfigError);
}

}  // namespace
}  // namespace knockout::nn
