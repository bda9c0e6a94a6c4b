// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/torch_tumor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/tumor/synthesis.h"
#include "experiments/tumor/torch_patch_dataset.h"
#include "knockout/base/error.h"
#include "media/volume/nifti.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

class TumorTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("tumor_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

/// Every voxel of the images tells where it is: its number, scaled to [0, 1].
TEST_F(TumorTest, ThePlaceholderIsCutFromTheMeanImageWhereThePatchIs) {
  const VolumeSize size = {7, 6, 5};
  const auto voxels = static_cast<std::int64_t>(voxel_count(size));
  Volume numbers{size, kIdentityAffine, {}}, labels = numbers;
  for (std::int64_t v = 0; v < voxels; ++v) {
    numbers.voxels.push_back(static_cast<float>(v));
    labels.voxels.push_back(static_cast<float>(v % 4));
  }
  fs::create_directories(folder_);
  const TumorSubject subject{.name = "one",
                             .images = {(folder_ / "a.nii").string(), (folder_ / "b.nii").string()},
                             .segmentation = (folder_ / "seg.nii").string()};
  for (const std::string& path : subject.images) write_nifti(numbers, path, VoxelType::kFloat32);
  write_nifti(labels, subject.segmentation, VoxelType::kUint8);

  torch::manual_seed(1);
  const torch::Tensor mean = torch::rand({2, size[2], size[1], size[0]});
  const PatchDataset data({subject}, size, 4, {2, 3, 4}, mean);
  const std::vector<std::size_t> rows = {0};
  std::vector<std::int64_t> first_voxels;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const nn::Batch batch = data.get(rows, Random(9, Stream::kAugment), draw);
    ASSERT_EQ(batch.inputs[0].sizes(), (std::vector<std::int64_t>{1, 2, 2, 3, 4}));
    ASSERT_EQ(batch.inputs[1].sizes(), batch.inputs[0].sizes());
    for (std::int64_t m = 0; m < 2; ++m) {
      const torch::Tensor place =
          (batch.inputs[0][0][m] * static_cast<double>(voxels - 1)).round().to(torch::kInt64);
      EXPECT_TRUE(torch::equal(batch.inputs[1][0][m], mean[m].flatten().index({place})));
      EXPECT_TRUE(torch::equal(batch.labels[0], place.remainder(4)));
      first_voxels.push_back(place.flatten()[0].item<std::int64_t>());
    }
  }
  EXPECT_NE(*std::min_element(first_voxels.begin(), first_voxels.end()),
            *std::max_element(first_voxels.begin(), first_voxels.end()));
}

TEST_F(TumorTest, TheMeanImageIsTheMeanOfTheScaledImagesOnAnyNumberOfThreads) {
  synthesize_tumors({.folder = folder_.string(), .seed = 2, .size = 3});
  std::vector<TumorSubject> subjects;
  for (const std::string& name : subject_names(folder_.string())) {
    subjects.push_back(find_subject(folder_.string(), name, {}));
  }
  const VolumeSize size = {20, 20, 16};
  const torch::Tensor mean = mean_images(subjects, size, 1, nullptr, [](double) {});
  EXPECT_TRUE(torch::equal(mean, mean_images(subjects, size, 3, nullptr, [](double) {})));
  const std::int64_t x = 11, y = 9, z = 7;
  for (std::size_t m = 0; m < 4; ++m) {
    double sum = 0;
    for (const TumorSubject& subject : subjects) {
      const Volume raw = read_nifti(subject.images[m]);
      const float most = *std::max_element(raw.voxels.begin(), raw.voxels.end());
      sum += raw.voxels[voxel_index(size, x, y, z)] / most;  // the least is 0: air
    }
    EXPECT_NEAR(mean[m][z][y][x].item<double>(), sum / 3, 1e-6);
  }
}

TEST(FillMissing, PutsThePlaceholderOfTheModalityWhereItIsMissing) {
  const torch::Tensor images = torch::rand({2, 2, 2, 2, 2});
  const torch::Tensor means = torch::rand({2, 2, 2, 2});
  const torch::Tensor missing = torch::tensor({0, 1, 1, 0}).reshape({2, 2});
  const torch::Tensor filled = fill_missing(images, missing, means);
  EXPECT_TRUE(torch::equal(filled[0][0], images[0][0]));
  EXPECT_TRUE(torch::equal(filled[0][1], means[1]));
  EXPECT_TRUE(torch::equal(filled[1][0], means[0]));
  EXPECT_TRUE(torch::equal(filled[1][1], images[1][1]));
  EXPECT_TRUE(fill_missing(images, missing, torch::tensor(-1.0F))[0][1].eq(-1).all().item<bool>());
}

TumorOptions tiny_tumor() {
  TumorOptions options;
  options.levels = 1;
  options.blocks = 1;
  options.base_width = 4;
  options.patch = {12};
  options.epochs = 2;
  options.validate_every = 0;
  options.overlap = 0;
  return options;
}

TEST_F(TumorTest, TheStudyGivesDiceOfEveryMethodPatternRegionAndTestSubject) {
  synthesize_tumors({.folder = folder_.string(), .seed = 2, .size = 6});
  DataStudyContext run{.data = folder_.string(), .run = {.threads = 1}};
  const StudyResult result = run_tumor_study(tiny_tumor(), run);
  const auto& trainings = result.data.at("trainings");
  ASSERT_EQ(trainings.size(), 4U);
  const auto& scores = result.data.at("scores");
  EXPECT_EQ(scores.at("complete_pattern"), "t1+t1ce+t2+flair");
  ASSERT_EQ(scores.at("patterns").size(), 16U);
  // The score of a pattern is the mean of what the trainings say of subjects and regions.
  const auto& first = trainings[0];
  ASSERT_EQ(first.at("subjects").size(), 1U);
  for (std::size_t p = 0; p < 16; ++p) {
    const auto regions = first.at("dice")[0][p].get<std::vector<double>>();
    ASSERT_EQ(regions.size(), 3U);
    const auto& cell =
        scores.at("methods").at("knockout").at("patterns").at(scores.at("patterns")[p]);
    EXPECT_NEAR(cell.at("values")[0].get<double>(), (regions[0] + regions[1] + regions[2]) / 3,
                1e-12);
  }
  // "One at random" is one of the four patterns with one image.
  bool is_one_of_them = false;
  for (std::size_t p = 11; p < 15; ++p) {
    is_one_of_them |= first.at("dice")[0][p] == first.at("dice")[0][15];
  }
  EXPECT_TRUE(is_one_of_them);
  // Whoever else is trained changes nothing.
  run.methods = {"knockout"};
  EXPECT_EQ(run_tumor_study(tiny_tumor(), run).data.at("trainings")[0].at("dice"),
            first.at("dice"));
}

TEST_F(TumorTest, ABadSubjectStopsTheStudyUnlessItIsToBeSkipped) {
  synthesize_tumors({.folder = folder_.string(), .seed = 2, .size = 5});
  const fs::path bad = folder_ / "BraTS2021_00003" / "BraTS2021_00003_flair.nii.gz";
  fs::resize_file(bad, fs::file_size(bad) / 2);
  DataStudyContext run{.data = folder_.string(), .methods = {"knockout"}, .run = {.threads = 1}};
  try {
    run_tumor_study(tiny_tumor(), run);
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find(bad.string()), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--skip-bad"), std::string::npos);
  }
  run.skip_bad = true;
  const StudyResult result = run_tumor_study(tiny_tumor(), run);
  EXPECT_EQ(result.data.at("usable_subjects"), 4);
  EXPECT_EQ(result.data.at("bad")[0].at("what"), "BraTS2021_00003");
}

}  // namespace
}  // namespace knockout::experiments
