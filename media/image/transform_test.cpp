// SPDX-License-Identifier: Apache-2.0
#include "media/image/transform.h"

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

using Bytes = std::vector<std::uint8_t>;

/// 13 x 9 pixels with jumps in every channel.
Picture jagged() {
  Picture picture{13, 9, {}};
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 13; ++x) {
      for (const int value : {x * 37 + y * 11, x * x + y * 50, x * y * 23}) {
        picture.rgb.push_back(static_cast<std::uint8_t>(value % 256));
      }
    }
  }
  return picture;
}

/// Each pixel's red is its column, its green its row.
Picture coordinates(int width, int height) {
  Picture picture{width, height, {}};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Bytes pixel = {static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y), 0};
      picture.rgb.insert(picture.rgb.end(), pixel.begin(), pixel.end());
    }
  }
  return picture;
}

// Expected: Image.fromarray(jagged).resize(size, Image.BILINEAR) of Pillow 9.4.0.
TEST(Resize, ReducesAsPillowDoes) {
  const Bytes expected = {48,  43,  21, 133, 53,  64,  151, 78,  79,  73,  117, 113, 158, 161, 109,
                          70,  144, 66, 155, 150, 123, 150, 169, 123, 95,  161, 137, 180, 126, 166,
                          96,  165, 89, 178, 99,  124, 101, 96,  120, 121, 92,  118, 200, 123, 162,
                          118, 105, 93, 172, 115, 127, 78,  140, 112, 143, 176, 114, 166, 156, 164};
  EXPECT_EQ(resize(jagged(), 5, 4).rgb, expected);
}

TEST(Resize, EnlargesOneSideAndReducesTheOtherAsPillowDoes) {
  const Bytes expected = {
      76,  6,   0,   123, 39,  0,   112, 101, 0,   81,  29,  22,  128, 62,  64,  117, 124, 87,
      88,  61,  52,  135, 94,  136, 124, 156, 184, 95,  94,  83,  142, 127, 124, 131, 189, 166,
      102, 126, 95,  149, 159, 122, 138, 182, 155, 109, 158, 95,  154, 189, 127, 145, 149, 148,
      116, 190, 96,  124, 186, 123, 152, 90,  151, 124, 192, 106, 113, 138, 119, 160, 72,  143,
      131, 164, 126, 120, 43,  115, 167, 94,  125, 138, 94,  99,  127, 65,  120, 174, 125, 145,
      141, 63,  89,  123, 96,  122, 170, 158, 152, 138, 95,  109, 101, 128, 118, 150, 190, 135,
      144, 127, 113, 103, 160, 114, 153, 169, 134, 149, 150, 113, 108, 183, 111, 158, 146, 136};
  const Picture picture = resize(jagged(), 3, 14);
  EXPECT_EQ(picture.width, 3);
  EXPECT_EQ(picture.height, 14);
  EXPECT_EQ(picture.rgb, expected);
}

TEST(Resize, KeepsAPictureOfThatSizeAndAFlatColour) {
  EXPECT_EQ(resize(jagged(), 13, 9).rgb, jagged().rgb);
  const Picture flat{5, 3, Bytes(45, 201)};
  EXPECT_EQ(resize(flat, 31, 2).rgb, Bytes(31 * 2 * 3, 201));
}

TEST(ResizeShorterSide, RoundsTheLongerSideDown) {
  const Picture wide = resize_shorter_side(jagged(), 4);  // 13 * 4 / 9 = 5.8
  EXPECT_EQ(wide.width, 5);
  EXPECT_EQ(wide.height, 4);
  const Picture high = resize_shorter_side(coordinates(3, 8), 7);  // 8 * 7 / 3 = 18.7
  EXPECT_EQ(high.width, 7);
  EXPECT_EQ(high.height, 18);
}

TEST(ResizeShorterSide, RefusesAHairline) {
  EXPECT_THROW(resize_shorter_side(Picture{100'000, 1, Bytes(300'000)}, 256), DataError);
}

// The corners are those of torchvision's center_crop: round((size - crop) / 2), halves to even.
TEST(CenterCrop, TakesTheMiddle) {
  const Picture picture = center_crop(coordinates(9, 8), 4, 3);  // 2.5 each
  EXPECT_EQ(picture.width, 4);
  EXPECT_EQ(picture.height, 3);
  EXPECT_EQ(picture.rgb, (Bytes{2, 2, 0, 3, 2, 0, 4, 2, 0, 5, 2, 0,  //
                                2, 3, 0, 3, 3, 0, 4, 3, 0, 5, 3, 0,  //
                                2, 4, 0, 3, 4, 0, 4, 4, 0, 5, 4, 0}));
  EXPECT_EQ(center_crop(coordinates(7, 1), 4, 1).rgb[0], 2);  // 1.5
}

TEST(CenterCrop, RefusesMoreThanThereIs) {
  EXPECT_THROW(center_crop(coordinates(9, 8), 10, 3), ConfigError);
  EXPECT_THROW(center_crop(coordinates(9, 8), 3, 9), ConfigError);
}

TEST(ToPlanes, PutsChannelAfterChannelAndScales) {
  const Picture picture{2, 1, {0, 51, 102, 255, 204, 153}};
  const std::vector<float> planes = to_planes(picture, {0.5F, 0.2F, 0.0F}, {0.5F, 0.1F, 2.0F});
  const std::vector<float> expected = {-1, 1, 0, 6, 0.2F, 0.3F};
  ASSERT_EQ(planes.size(), expected.size());
  for (std::size_t i = 0; i < planes.size(); ++i) EXPECT_NEAR(planes[i], expected[i], 1e-6) << i;
}

}  // namespace
}  // namespace knockout
