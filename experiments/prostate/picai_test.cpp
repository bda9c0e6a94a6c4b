// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate/picai.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "experiments/prostate/picai_synthesis.h"
#include "experiments/test_text.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "media/volume/meta_image.h"
#include "media/volume/nifti.h"

namespace knockout::experiments {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own, empty.
fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("picai_" + name);
  fs::remove_all(folder);
  return folder;
}

fs::path synthesized(const std::string& name, int size) {
  const fs::path folder = fresh_folder(name);
  synthesize_picai({.folder = folder.string(), .size = size});
  return folder;
}

std::string text_of(const BadFiles& bad) { return bad.json().dump(); }

template <typename Thrown>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Thrown& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(FindPicaiCases, ReadsLabelsAndImagesInTheOrderOfTheMarksheet) {
  const fs::path folder = synthesized("order", 12);
  BadFiles bad;
  const std::vector<PicaiCase> cases = find_picai_cases(folder.string(), bad);
  EXPECT_TRUE(bad.empty()) << text_of(bad);
  ASSERT_EQ(cases.size(), 12U);
  // Case 9 is a second examination of the patient of case 8.
  EXPECT_EQ(cases[8].name(), "10008_1000008");
  EXPECT_EQ(cases[9].name(), "10008_1000009");
  EXPECT_EQ(cases[10].name(), "10009_1000010");
  EXPECT_EQ(cases[9].paths[2], (folder / "images" / "10008" / "10008_1000009_hbv.mha").string());
  std::istringstream marksheet(read_bytes((folder / "marksheet.csv").string(), "the marksheet"));
  std::string line;
  std::getline(marksheet, line);
  for (const PicaiCase& of : cases) {
    std::getline(marksheet, line);
    EXPECT_EQ(contains(line, ",YES,"), of.has_cancer) << line;
  }
}

TEST(FindPicaiCases, FindsTheFoldsAndTheLabelsAsTheyAreUnpacked) {
  const fs::path folder = synthesized("folds", 3);
  fs::rename(folder / "images", folder / "picai_public_images_fold3");
  fs::create_directories(folder / "picai_labels" / "clinical_information");
  fs::rename(folder / "marksheet.csv",
             folder / "picai_labels" / "clinical_information" / "marksheet.csv");
  BadFiles bad;
  EXPECT_EQ(find_picai_cases(folder.string(), bad).size(), 3U);
  EXPECT_TRUE(bad.empty());
}

TEST(FindPicaiCases, NamesEveryCaseThatCannotBeUsedAndKeepsTheOthers) {
  const fs::path folder = synthesized("bad", 6);
  const fs::path images = folder / "images";
  write_text(folder / "marksheet.csv",
             "patient_id,study_id,case_csPCa\n"
             "10000,1000000,NO\n"
             "10001,1000001,MAYBE\n"
             "10002,1000002,YES\n"
             "10002,1000002,NO\n"
             "10003,1000003,YES\n"
             "10004,1000004,YES\n"
             "20000,1000009,NO\n"
             ",1000010,NO\n");
  fs::remove(images / "10003" / "10003_1000003_adc.mha");
  fs::create_directories(folder / "again");
  fs::copy(images / "10004" / "10004_1000004_hbv.mha", folder / "again" / "10004_1000004_hbv.mha");
  BadFiles bad;
  const std::vector<PicaiCase> cases = find_picai_cases(folder.string(), bad);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].name(), "10000_1000000");
  EXPECT_EQ(bad.size(), 8U);  // both rows of the case that is there twice
  const std::string text = text_of(bad);
  EXPECT_TRUE(contains(text, "marksheet.csv:3: case_csPCa is \\\"MAYBE\\\"; expected YES or NO."));
  EXPECT_TRUE(contains(text, "marksheet.csv:4: this case has 2 rows."));
  EXPECT_TRUE(contains(text, "10003_1000003_adc.mha is nowhere below " + folder.string()));
  EXPECT_TRUE(contains(text, (folder / "again" / "10004_1000004_hbv.mha").string() + " and "));
  EXPECT_TRUE(contains(text, "20000_1000009_t2w.mha is nowhere below"));
  EXPECT_TRUE(contains(text, "marksheet.csv:9: patient_id or study_id is empty."));
  EXPECT_TRUE(contains(text, (images / "10005" / "10005_1000005_t2w.mha").string() + ": "));
}

TEST(FindPicaiCases, GoesThroughAFolderOnceWhenALinkLeadsBackToIt) {
  const fs::path folder = synthesized("loop", 3);
  fs::create_directory_symlink(folder, folder / "images" / "10001" / "back");
  BadFiles bad;
  EXPECT_EQ(find_picai_cases(folder.string(), bad).size(), 3U);
  EXPECT_TRUE(bad.empty()) << text_of(bad);
}

TEST(FindPicaiCases, SaysWhereAMarksheetWasExpected) {
  const fs::path folder = fresh_folder("none");
  fs::create_directories(folder);
  BadFiles bad;
  EXPECT_TRUE(contains(message_of<FileError>([&] { find_picai_cases(folder.string(), bad); }),
                       (folder / "marksheet.csv").string()));
}

TEST(FindPicaiCases, RefusesAnEarlyMarksheetWithoutLabels) {
  const fs::path folder = fresh_folder("early");
  fs::create_directories(folder);
  // Its first column has no name.
  write_text(folder / "marksheet.csv",
             ",patient_id,study_id,mri_date,lesion_GS\n0,10000,1000000,2019-07-02,\"0+0,N/A\"\n");
  BadFiles bad;
  const std::string message =
      message_of<DataError>([&] { find_picai_cases(folder.string(), bad); });
  EXPECT_TRUE(contains(message, "marksheet.csv: has no column \"case_csPCa\"")) << message;
}

/// Tilted about x, voxels of different sides.
Affine tilted(double degrees, const Point& spacing, const Point& offset) {
  const double c = std::cos(degrees * M_PI / 180), s = std::sin(degrees * M_PI / 180);
  return {{{-spacing[0], 0, 0, offset[0]},
           {0, -c * spacing[1], -s * spacing[2], offset[1]},
           {0, -s * spacing[1], c * spacing[2], offset[2]}}};
}

/// Linear in the world, so that linear interpolation is exact on any grid.
double intensity(const Point& at) { return 500 + 3 * at[0] - 2 * at[1] + 5 * at[2]; }

void write_linear(const fs::path& path, const VolumeSize& size, const Affine& affine) {
  Volume volume{size, affine, {}};
  for (std::int64_t z = 0; z < size[2]; ++z) {
    for (std::int64_t y = 0; y < size[1]; ++y) {
      for (std::int64_t x = 0; x < size[0]; ++x) {
        volume.voxels.push_back(
            static_cast<float>(intensity(transform(affine, {double(x), double(y), double(z)}))));
      }
    }
  }
  write_meta_image(volume, path.string(), VoxelType::kFloat32, true);
}

class ReadPicaiCrop : public testing::Test {
 protected:
  /// T2 of 40 x 36 x 20 mm, and an ADC with other voxels, tilt and place that covers the box.
  void SetUp() override {
    folder_ = fresh_folder("crop");
    fs::create_directories(folder_);
    case_ = {"1", "2", false, {}};
    for (std::size_t i = 0; i < kPicaiImages; ++i) {
      case_.paths[i] = (folder_ / (case_.name() + "_" + kPicaiEndings[i] + ".mha")).string();
    }
    write_linear(case_.paths[0], {40, 36, 10}, t2w_);
    write_linear(case_.paths[1], {40, 30, 40}, tilted(25, {1.5, 2, 1.5}, {29, 41, -14}));
    crop_.box_mm = {12, 10, 8};
    crop_.size = {6, 4, 3};
  }

  /// What a crop around `centre` must hold: the formula at every voxel, then mean 0, deviation 1.
  std::vector<double> expected_around(const Point& centre) const {
    const double c = std::cos(10 * M_PI / 180), s = std::sin(10 * M_PI / 180);
    std::vector<double> values;
    for (int z = 0; z < 3; ++z) {
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 6; ++x) {
          const double dx = -(x - 2.5) * 2, dy = (y - 1.5) * 2.5, dz = (z - 1) * 8.0 / 3;
          values.push_back(intensity(
              {centre[0] + dx, centre[1] - c * dy - s * dz, centre[2] - s * dy + c * dz}));
        }
      }
    }
    double mean = 0, square = 0;
    for (const double value : values) mean += value / 72;
    for (const double value : values) square += (value - mean) * (value - mean) / 72;
    for (double& value : values) value = (value - mean) / std::sqrt(square);
    return values;
  }

  fs::path folder_;
  PicaiCase case_;
  PicaiCrop crop_;
  Affine t2w_ = tilted(10, {1, 1, 2}, {18, 20, -5});
};

TEST_F(ReadPicaiCrop, PutsEveryImageOnTheSameVoxelsByTheAffines) {
  const std::vector<double> expected = expected_around(transform(t2w_, {19.5, 17.5, 4.5}));
  for (const std::size_t image : {0, 1}) {
    const Volume crop = read_picai_crop(case_, image, crop_);
    ASSERT_EQ(crop.voxels.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(crop.voxels[i], expected[i], 1e-4) << kPicaiEndings[image] << " voxel " << i;
    }
  }
}

TEST_F(ReadPicaiCrop, CentresTheBoxOnTheMaskOfTheGland) {
  Volume mask{{40, 36, 10}, t2w_, std::vector<float>(40 * 36 * 10)};
  for (const std::int64_t x : {21, 22, 23}) {
    for (const std::int64_t z : {4, 5}) mask.voxels[voxel_index(mask.size, x, 16, z)] = 1;
  }
  write_nifti(mask, (folder_ / "1_2.nii.gz").string(), VoxelType::kUint8);
  crop_.gland_masks = folder_.string();
  const std::vector<double> expected = expected_around(transform(t2w_, {22, 16, 4.5}));
  const Volume crop = read_picai_crop(case_, 1, crop_);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(crop.voxels[i], expected[i], 1e-4);
}

TEST_F(ReadPicaiCrop, ScalesToTheUnitRangeWhenAsked) {
  crop_.unit_range = true;
  const Volume crop = read_picai_crop(case_, 1, crop_);
  EXPECT_EQ(*std::min_element(crop.voxels.begin(), crop.voxels.end()), 0.0F);
  EXPECT_EQ(*std::max_element(crop.voxels.begin(), crop.voxels.end()), 1.0F);
}

TEST_F(ReadPicaiCrop, NamesAnImageThatLiesElsewhere) {
  write_linear(case_.paths[2], {5, 5, 5}, tilted(0, {1, 1, 1}, {500, 0, 0}));
  EXPECT_TRUE(contains(message_of<DataError>([&] { read_picai_crop(case_, 2, crop_); }),
                       case_.paths[2] + ": every voxel within the box"));
}

TEST_F(ReadPicaiCrop, NamesAnImageThatIsCutOff) {
  fs::resize_file(case_.paths[1], fs::file_size(case_.paths[1]) / 2);
  EXPECT_TRUE(
      contains(message_of<DataError>([&] { read_picai_crop(case_, 1, crop_); }), case_.paths[1]));
}

std::vector<PicaiCase> many_cases() {
  std::vector<PicaiCase> cases;
  for (int i = 0; i < 200; ++i) {
    // Two examinations of every fourth patient, cancer in the second one only.
    cases.push_back({std::to_string(i), "a", i % 5 == 0, {}});
    if (i % 4 == 0) cases.push_back({std::to_string(i), "b", true, {}});
  }
  return cases;
}

TEST(SplitByPatient, PutsNoPatientInTwoPartsAndEveryCaseInOne) {
  const std::vector<PicaiCase> cases = many_cases();
  const PicaiSplit split = split_by_patient(cases, 0.2, 0.2, 7);
  std::set<std::string> seen;
  std::size_t all = 0;
  for (const auto* part : {&split.training, &split.validation, &split.test}) {
    std::set<std::string> here;
    for (const std::size_t i : *part) here.insert(cases[i].patient);
    for (const std::string& patient : here) EXPECT_TRUE(seen.insert(patient).second) << patient;
    all += part->size();
  }
  EXPECT_EQ(seen.size(), 200U);
  EXPECT_EQ(all, cases.size());
}

TEST(SplitByPatient, SharesOutPatientsWithCancerLikeTheOthers) {
  const std::vector<PicaiCase> cases = many_cases();
  // 50 patients have a second examination with cancer; 40 have cancer in the first, 10 of whom are
  // among the 50: 80 patients with cancer and 120 without.
  const PicaiSplit split = split_by_patient(cases, 0.2, 0.2, 7);
  std::set<std::string> ill, all;
  for (const std::size_t i : split.test) {
    all.insert(cases[i].patient);
    if (cases[i].has_cancer) ill.insert(cases[i].patient);
  }
  EXPECT_EQ(all.size(), 40U);
  EXPECT_EQ(ill.size(), 16U);
}

TEST(SplitByPatient, DependsOnTheSeedAlone) {
  const std::vector<PicaiCase> cases = many_cases();
  EXPECT_EQ(split_by_patient(cases, 0.2, 0.2, 7).test, split_by_patient(cases, 0.2, 0.2, 7).test);
  EXPECT_NE(split_by_patient(cases, 0.2, 0.2, 7).test, split_by_patient(cases, 0.2, 0.2, 8).test);
}

TEST(SplitByPatient, RefusesCasesOfOneKind) {
  std::vector<PicaiCase> cases = many_cases();
  for (PicaiCase& of : cases) of.has_cancer = false;
  EXPECT_TRUE(contains(message_of<DataError>([&] { split_by_patient(cases, 0.2, 0.2, 0); }),
                       "250 cases of 200 patients are too few"));
}

TEST(SplitByPatient, RefusesATestPartWithoutCases) {
  // 80 patients with cancer and 120 without: 0.004 of them is less than half of one.
  const std::string message =
      message_of<DataError>([&] { split_by_patient(many_cases(), 0.2, 0.004, 0); });
  EXPECT_TRUE(contains(message, "250 cases of 200 patients")) << message;
  EXPECT_TRUE(contains(message, "--test-share 0.004")) << message;
}

TEST(SynthesizePicai, GivesLabelsWithoutSignalTheSameImages) {
  const fs::path with = synthesized("signal", 8), without = fresh_folder("no_signal");
  synthesize_picai({.folder = without.string(), .size = 8, .no_signal = true});
  const auto file = fs::path("images") / "10003" / "10003_1000003_adc.mha";
  EXPECT_EQ(read_bytes((with / file).string(), "an image"),
            read_bytes((without / file).string(), "an image"));
  EXPECT_NE(read_bytes((with / "marksheet.csv").string(), "labels"),
            read_bytes((without / "marksheet.csv").string(), "labels"));
}

}  // namespace
}  // namespace knockout::experiments
