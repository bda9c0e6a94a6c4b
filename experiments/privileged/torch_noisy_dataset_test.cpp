// SPDX-License-Identifier: Apache-2.0
#include "experiments/privileged/torch_noisy_dataset.h"

#include <gtest/gtest.h>

#include <numeric>

namespace knockout::experiments {
namespace {

constexpr std::int64_t kPixels = 3 * 32 * 32;

/// Images of random pixels.
NoisyImages random_images(int count) {
  NoisyImages images;
  const Random random(4, Stream::kSimulation);
  for (int image = 0; image < count; ++image) {
    for (std::uint32_t i = 0; i < kPixels; ++i) {
      images.pixels.push_back(static_cast<std::uint8_t>(random.below(200, image, i, 0)));
    }
    images.labels.push_back(image % 10);
    images.annotator.push_back(0.25F * static_cast<float>(image % 5));
    images.seconds.push_back(0.01F * static_cast<float>(image));
  }
  return images;
}

nn::Batch get(const NoisyImageDataset& data, const std::vector<std::size_t>& rows,
              std::uint64_t draw) {
  return data.get(rows, Random(7, Stream::kAugment), draw);
}

TEST(NoisyImageDataset, ScalesEveryChannelToMeanZeroAndDeviationOne) {
  NoisyImages images = random_images(20);
  for (std::size_t i = 0; i < images.pixels.size(); ++i) {  // channels of different ranges
    images.pixels[i] = static_cast<std::uint8_t>(images.pixels[i] / (1 + i / 1024 % 3));
  }
  const NoisyImageDataset data(images, /*augment=*/false);
  std::vector<std::size_t> rows(20);
  std::iota(rows.begin(), rows.end(), 0U);
  const torch::Tensor pixels = get(data, rows, 0).inputs[0].to(torch::kFloat64);
  EXPECT_TRUE(torch::allclose(pixels.mean({0, 2, 3}), torch::zeros({3}, torch::kFloat64), 0, 1e-5));
  EXPECT_TRUE(torch::allclose(pixels.var({0, 2, 3}, /*unbiased=*/false),
                              torch::ones({3}, torch::kFloat64), 0, 1e-4));
  EXPECT_TRUE(
      data.scale().apply(images.pixels, 3, 9).equal(get(data, {3, 4, 5, 6, 7, 8}, 0).inputs[0]));
}

TEST(NoisyImageDataset, KeepsLabelAndAnnotatorOfEachRow) {
  const NoisyImages images = random_images(12);
  const nn::Batch batch = get(NoisyImageDataset(images, true), {11, 3}, 5);
  EXPECT_EQ(batch.labels[0].item<int>(), 1);
  EXPECT_EQ(batch.labels[1].item<int>(), 3);
  EXPECT_TRUE(batch.inputs[1].equal(torch::tensor({{0.25F, 0.11F}, {0.75F, 0.03F}})));
  EXPECT_EQ(batch.rows, (std::vector<std::size_t>{11, 3}));
}

TEST(NoisyImageDataset, ChangesAnImageAsAFunctionOfDrawAndRowAlone) {
  const NoisyImages images = random_images(6);
  const NoisyImageDataset data(images, true);
  const torch::Tensor alone = get(data, {4}, 9).inputs[0][0];
  EXPECT_TRUE(get(data, {0, 4, 2}, 9).inputs[0][1].equal(alone));
  EXPECT_FALSE(get(data, {4}, 10).inputs[0][0].equal(alone));
}

/// Every changed image is one of the 2 x 9 x 9 that can be, made here by whole-tensor operations,
/// and mirrored ones, straight ones and many shifts occur.
TEST(NoisyImageDataset, MirrorsAndShiftsByUpToFourPixelsWithZeros) {
  const NoisyImages images = random_images(1);
  const NoisyImageDataset data(images, true);
  const torch::Tensor plain = data.scale().apply(images.pixels, 0, 1)[0];
  std::array<int, 2> mirrored = {};
  std::array<int, 81> shifts = {};
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    const torch::Tensor changed = get(data, {0}, draw).inputs[0][0];
    int matches = 0;
    for (int mirror = 0; mirror < 2; ++mirror) {
      const torch::Tensor padded =
          torch::constant_pad_nd(mirror == 1 ? plain.flip({2}) : plain, {4, 4, 4, 4}, 0);
      for (int shift = 0; shift < 81; ++shift) {
        if (!padded.narrow(1, shift / 9, 32).narrow(2, shift % 9, 32).equal(changed)) continue;
        ++matches;
        ++mirrored[mirror];
        ++shifts[shift];
      }
    }
    ASSERT_EQ(matches, 1) << "draw " << draw;
  }
  EXPECT_GT(mirrored[0], 60);
  EXPECT_GT(mirrored[1], 60);
  EXPECT_GT(std::count_if(shifts.begin(), shifts.end(), [](int count) { return count > 0; }), 50);
}

}  // namespace
}  // namespace knockout::experiments
