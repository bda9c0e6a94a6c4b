// SPDX-License-Identifier: Apache-2.0
#include "experiments/genera/torch_encode.h"

#include <gtest/gtest.h>
#include <torch/script.h>

#include <filesystem>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "media/image/picture.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// Saves `def forward(self, x): return <result>` and pictures of one colour each.
PictureEncoding encoding_of(const std::string& result, const std::vector<int>& greys) {
  const fs::path folder = fs::path(testing::TempDir()) / "torch_encode_test";
  fs::create_directories(folder);
  torch::jit::Module network("network");
  network.define(fmt::format("def forward(self, x):\n    return {}\n", result));
  PictureEncoding encoding{.encoder = (folder / "network.pt").string(),
                           .pictures = {},
                           .side = 8,
                           .shorter_side = 10,
                           .batch = 2};
  network.save(encoding.encoder);
  for (const int grey : greys) {
    encoding.pictures.push_back({.path = (folder / fmt::format("{}.png", grey)).string()});
    write_png({.width = 12,
               .height = 20,
               .rgb = std::vector<std::uint8_t>(720, static_cast<std::uint8_t>(grey))},
              encoding.pictures.back().path);
  }
  return encoding;
}

TEST(EncodePictures, GivesEveryPictureItsRowAsImageNetIsNormalised) {
  const std::vector<int> greys = {0, 51, 255};  // an odd number: the last batch is smaller
  PictureEncoding encoding = encoding_of("x.mean([2, 3], True)", greys);
  std::size_t told = 0;
  encoding.progress = [&](std::size_t done) { told = done; };
  const std::vector<std::vector<float>> rows = encode_pictures(encoding);
  ASSERT_EQ(rows.size(), greys.size());
  EXPECT_EQ(told, greys.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 3U);
    EXPECT_NEAR(rows[i][0], (greys[i] / 255.0 - 0.485) / 0.229, 1e-4);
    EXPECT_NEAR(rows[i][2], (greys[i] / 255.0 - 0.406) / 0.225, 1e-4);
  }
}

TEST(EncodePictures, ShowsTheEncoderSquaresOfTheSideThatWasAskedFor) {
  const auto rows = encode_pictures(encoding_of("x[:, :1]", {7}));
  EXPECT_EQ(rows[0].size(), 64U);
}

TEST(EncodePictures, RefusesFeaturesThatAreNotFinite) {
  EXPECT_THROW(encode_pictures(encoding_of("x.mean([2, 3]) / 0.0", {7})), ModelFileError);
}

TEST(EncodePictures, RefusesAnEncoderThatDoesNotGiveARowPerPicture) {
  EXPECT_THROW(encode_pictures(encoding_of("x.mean([2, 3])[:1]", {7, 8})), ModelFileError);
}

}  // namespace
}  // namespace knockout::experiments
