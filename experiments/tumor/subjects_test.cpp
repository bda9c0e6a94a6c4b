// SPDX-License-Identifier: Apache-2.0
#include "experiments/tumor/subjects.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "experiments/tumor/synthesis.h"
#include "knockout/base/error.h"
#include "media/volume/nifti.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

void expect_in(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << '"' << part << "\" is not in: " << text;
  }
}

class TumorSubjectsTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void synthesize(int subjects) {
    synthesize_tumors({.folder = folder_.string(), .seed = 3, .size = subjects});
  }
  std::string path(int subject, const std::string& name) const {
    const std::string id = "BraTS2021_0000" + std::to_string(subject);
    return (folder_ / id / (id + "_" + name + ".nii.gz")).string();
  }
  TumorSubjects look() const {
    return subjects_from(look_at_subjects(folder_.string(), options_, 2, [](double) {}),
                         folder_.string(), options_);
  }
  /// Why the only subject that cannot be used cannot be.
  std::string only_reason() const {
    const TumorSubjects subjects = look();
    EXPECT_EQ(subjects.bad.size(), 1U);
    return subjects.bad.empty() ? "" : subjects.bad.json()[0].at("reason").get<std::string>();
  }

  fs::path folder_;
  TumorOptions options_;
};

TEST_F(TumorSubjectsTest, WhatIsSynthesizedCanBeUsed) {
  synthesize(3);
  const TumorSubjects subjects = look();
  EXPECT_TRUE(subjects.bad.empty()) << subjects.bad.json();
  ASSERT_EQ(subjects.usable.size(), 3U);
  EXPECT_EQ(subjects.usable[1].name, "BraTS2021_00001");
  EXPECT_EQ(subjects.usable[1].images[3], path(1, "flair"));
  EXPECT_EQ(subjects.size, (VolumeSize{20, 20, 16}));
  const Volume stored = read_nifti(path(1, "seg"));
  EXPECT_EQ(std::set<float>(stored.voxels.begin(), stored.voxels.end()),
            (std::set<float>{0, 1, 2, 4}));
}

TEST_F(TumorSubjectsTest, AMissingImageIsNamed) {
  synthesize(2);
  fs::remove(path(1, "t2"));
  expect_in(only_reason(), {path(1, "t2"), "is not there"});
}

TEST_F(TumorSubjectsTest, AnImageOfAnotherSizeIsNamed) {
  synthesize(2);
  Volume image = read_nifti(path(0, "t1ce"));
  image.size = {20, 16, 20};
  write_nifti(image, path(0, "t1ce"), VoxelType::kInt16);
  expect_in(only_reason(), {path(0, "t1ce"), "20 x 16 x 20", "expected"});
}

TEST_F(TumorSubjectsTest, AnImageElsewhereIsRefusedUnlessAffinesAreNotToCount) {
  synthesize(2);
  Volume image = read_nifti(path(0, "seg"));
  image.to_world[2][3] += 3;
  write_nifti(image, path(0, "seg"), VoxelType::kInt16);
  expect_in(only_reason(), {path(0, "seg"), "affine"});
  options_.any_affine = true;
  EXPECT_TRUE(look().bad.empty()) << look().bad.json();
}

TEST_F(TumorSubjectsTest, ALabelThatIsNoClassIsNamed) {
  synthesize(2);
  Volume labels = read_nifti(path(1, "seg"));
  labels.voxels[100] = 7;
  write_nifti(labels, path(1, "seg"), VoxelType::kInt16);
  expect_in(only_reason(), {path(1, "seg"), "label 7"});
}

TEST_F(TumorSubjectsTest, AFileThatIsCutOffIsNamed) {
  synthesize(2);
  fs::resize_file(path(0, "flair"), fs::file_size(path(0, "flair")) - 100);
  expect_in(only_reason(), {path(0, "flair")});
}

TEST_F(TumorSubjectsTest, AnImageThatIsTheSameEverywhereIsNamed) {
  synthesize(2);
  Volume image = read_nifti(path(0, "t1"));
  std::fill(image.voxels.begin(), image.voxels.end(), 5.0F);
  write_nifti(image, path(0, "t1"), VoxelType::kInt16);
  expect_in(only_reason(), {path(0, "t1"), "5 everywhere"});
}

TEST_F(TumorSubjectsTest, ASubjectOnAnotherGridThanMostIsNamed) {
  synthesize(3);
  for (const char* name : {"t1", "t1ce", "t2", "flair", "seg"}) {
    Volume volume = read_nifti(path(0, name));
    volume.size = {16, 20, 20};
    write_nifti(volume, path(0, name), VoxelType::kInt16);
  }
  expect_in(only_reason(), {"BraTS2021_00000", "16 x 20 x 20", "20 x 20 x 16"});
}

TEST_F(TumorSubjectsTest, AnEmptyFolderShowsWhatWasExpected) {
  fs::create_directories(folder_);
  try {
    look();
    FAIL() << "nothing was thrown";
  } catch (const DataError& error) {
    expect_in(error.what(), {folder_.string(), "BraTS2021_00000_t1.nii.gz"});
  }
}

TEST_F(TumorSubjectsTest, FilesOfLaterEditionsAndOfOtherSetsAreFound) {
  synthesize(1);
  for (const auto& [name, file] : {std::pair{"2023", "2023-t1n"}, {"plain", "t1n"}}) {
    fs::create_directories(folder_ / name);
    fs::copy(path(0, "t1"), folder_ / name / (std::string(file) + ".nii.gz"));
    fs::copy(path(0, "t2"), folder_ / name / "t2w.nii.gz");
    fs::copy(path(0, "seg"), folder_ / name / "mask.nii.gz");
    options_.modalities = "t1n,t2w";
    options_.segmentation = "mask";
    EXPECT_EQ(find_subject(folder_.string(), name, options_).images[0],
              (folder_ / name / (std::string(file) + ".nii.gz")).string());
  }
}

TEST_F(TumorSubjectsTest, LabelFourIsClassThreeOfBratsOnly) {
  Volume volume{{5, 1, 1}, kIdentityAffine, {0, 1, 2, 3, 4}};
  fs::create_directories(folder_);
  const std::string file = (folder_ / "seg.nii").string();
  write_nifti(volume, file, VoxelType::kUint8);
  EXPECT_EQ(read_labels(file, volume.size, 4), (std::vector<std::uint8_t>{0, 1, 2, 3, 3}));
  EXPECT_EQ(read_labels(file, volume.size, 5), (std::vector<std::uint8_t>{0, 1, 2, 3, 4}));
  EXPECT_THROW(read_labels(file, volume.size, 3), DataError);
  volume.voxels[1] = 0.5F;
  write_nifti(volume, file, VoxelType::kFloat32);
  EXPECT_THROW(read_labels(file, volume.size, 5), DataError);
}

TEST_F(TumorSubjectsTest, ImagesGoFromZeroToOne) {
  fs::create_directories(folder_);
  const std::string file = (folder_ / "t1.nii").string();
  write_nifti({{3, 1, 1}, kIdentityAffine, {-10, 0, 30}}, file, VoxelType::kInt16);
  EXPECT_EQ(read_image(file, {3, 1, 1}).voxels, (std::vector<float>{0.0F, 0.25F, 1.0F}));
}

TEST(TumorSplit, GivesEachSubjectOnePartAndThePapersShares) {
  const TumorSplit split = split_subjects(1251, {}, 5);
  EXPECT_EQ(split.validation.size(), 63U);  // 62.55
  EXPECT_EQ(split.test.size(), 188U);       // 187.65
  std::set<std::size_t> all;
  for (const auto* part : {&split.training, &split.validation, &split.test}) {
    all.insert(part->begin(), part->end());
  }
  EXPECT_EQ(split.training.size(), 1000U);
  EXPECT_EQ(all.size(), 1251U);
  EXPECT_EQ(*all.rbegin(), 1250U);
  EXPECT_NE(split_subjects(1251, {}, 6).test, split.test);
}

TEST(TumorSplit, NeedsThreeSubjects) {
  EXPECT_EQ(split_subjects(3, {}, 0).training.size(), 1U);
  EXPECT_THROW(split_subjects(2, {}, 0), DataError);
}

TEST(MissingPatterns, AreAllButTheEmptyOneAndBeginWithTheCompleteOne) {
  const std::vector<std::string> names = {"t1", "t1ce", "t2", "flair"};
  const auto patterns = missing_patterns(4);
  std::set<std::string> distinct;
  for (const MissingImages& missing : patterns) distinct.insert(pattern_name(missing, names));
  EXPECT_EQ(distinct.size(), 15U);
  EXPECT_FALSE(distinct.contains(""));
  EXPECT_EQ(pattern_name(patterns.front(), names), "t1+t1ce+t2+flair");
  EXPECT_EQ(pattern_name(patterns[1], names), "t1ce+t2+flair");
  EXPECT_EQ(pattern_name(patterns.back(), names), "t1");
}

TEST(MissingPatterns, WhenAllAreMissingEachImageIsLeftForSomeSubjects) {
  const auto patterns = missing_patterns(4);
  std::set<std::size_t> left;
  for (std::size_t subject = 0; subject < 100; ++subject) {
    const std::size_t pattern = pattern_left_at_random(patterns, 1, subject);
    ASSERT_LT(pattern, patterns.size());
    EXPECT_EQ(std::count(patterns[pattern].begin(), patterns[pattern].end(), false), 1);
    left.insert(pattern);
  }
  EXPECT_EQ(left.size(), 4U);
}

TEST(TumorOptions, ModalitiesMustDiffer) {
  EXPECT_EQ(modality_names({}), (std::vector<std::string>{"t1", "t1ce", "t2", "flair"}));
  EXPECT_THROW(modality_names({.modalities = "t1,t1"}), ConfigError);
  EXPECT_THROW(modality_names({.modalities = "t1,,t2"}), ConfigError);
  EXPECT_THROW(modality_names({.modalities = "t1"}), ConfigError);
}

/// Without signal, images and segmentations have nothing to do with each other: flair, which shows
/// edema brightly, is no brighter inside the segmentation than around it.
TEST_F(TumorSubjectsTest, WithoutSignalTheImagesDoNotShowTheSegmentation) {
  const auto contrast = [&](bool no_signal) {
    fs::remove_all(folder_);
    synthesize_tumors({.folder = folder_.string(), .seed = 3, .size = 8, .no_signal = no_signal});
    double inside = 0, outside = 0, inside_count = 0, outside_count = 0;
    for (int s = 0; s < 8; ++s) {
      const Volume image = read_image(path(s, "flair"), {20, 20, 16});
      const auto labels = read_labels(path(s, "seg"), image.size, 4);
      for (std::size_t v = 0; v < labels.size(); ++v) {
        if (image.voxels[v] == 0) continue;  // air
        (labels[v] > 0 ? inside : outside) += image.voxels[v];
        (labels[v] > 0 ? inside_count : outside_count) += 1;
      }
    }
    return inside / inside_count - outside / outside_count;
  };
  EXPECT_GT(contrast(false), 0.2);
  EXPECT_LT(contrast(true), 0.08);
}

}  // namespace
}  // namespace knockout::experiments
