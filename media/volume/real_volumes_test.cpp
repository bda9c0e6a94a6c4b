// SPDX-License-Identifier: Apache-2.0
// Files that others wrote, odd ones included: each is read right or refused with its reason.
#include <cmath>
#include <cstdlib>
#include <set>

#include "media/volume/meta_image.h"
#include "media/volume/nifti.h"
#include "media/volume/test_files.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

struct Expected {
  const char* name;
  std::int64_t frame;  ///< -1: the file holds one volume.
  VolumeSize size;
  double sum, least, greatest;
  double at_half, at_third;  ///< The voxels at size / 2 and size / 3, rounded down.
  Point last_corner;         ///< Where the last voxel lies in the world.
};

// NIfTI: nibabel 5.0.0 (get_fdata(), affine). MetaImage: a reader of a few lines on numpy 1.24.2
// and zlib. Sums and voxels are theirs in double precision. No file here states metres or
// micrometres, which nibabel would leave as they are.
// Without clang-format, which would put every number on a line of its own.
// clang-format off
const std::vector<Expected> kReadable = {
    {"nifti/misc/ATestReferenceImageForReadingAndWriting.nii.gz", 0, {23, 17, 11},
     2862315.5, 128, 1203, 665.5, 451.75, {11, 16, 20}},
    {"nifti/misc/ATestReferenceImageForReadingAndWriting.nii.gz", 20, {23, 17, 11},
     95355320.5, 21633, 22708, 22170.5, 21956.75, {11, 16, 20}},
    {"nifti/misc/KmeansTest_T1KmeansPrelimSegmentation.nii.gz", -1, {128, 128, 62},
     1753763, 0, 6, 6, 5, {-254, -71, 254}},
    {"nifti/misc/KmeansTest_T1RawSkullStrip.nii.gz", -1, {128, 128, 62},
     754913, 0, 6, 6, 6, {-254, -71, 254}},
    {"nifti/misc/KmeansTest_T1UCharRaw.nii.gz", -1, {128, 128, 62},
     19533798, 0, 255, 97, 76, {-254, -71, 254}},
    {"nifti/misc/S0_10slices.nii.gz", -1, {128, 128, 10},
     23236154, 0, 4095, 386, 266, {400.640747, 421.145264, 249.244137}},
    {"nifti/misc/aal.nii.gz", -1, {181, 217, 181}, 76656511, 0, 116, 0, 55, {90, 91, 109}},
    {"nifti/misc/anatomical.nii", -1, {33, 41, 25},
     284166082, -610, 30393, 11881, 10168, {-32, 40, 32}},
    {"nifti/misc/ch2.nii.gz", -1, {181, 217, 181}, 317151210, 0, 254, 33, 98, {90, 91, 109}},
    {"nifti/misc/ch2bet.nii.gz", -1, {181, 217, 181}, 158526435, 0, 133, 33, 98, {90, 91, 109}},
    {"nifti/misc/example4d.nii.gz", 0, {128, 96, 24},
     50994397, 0, 1162, 265, 474, {-136.144897, 143.6025, 73.390806}},
    {"nifti/misc/example4d.nii.gz", 1, {128, 96, 24},
     50990959, 0, 1140, 266, 457, {-136.144897, 143.6025, 73.390806}},
    {"nifti/misc/example_nifti2.nii.gz", 0, {32, 20, 12},
     3461748, 49, 742, 265, 420, {55.855103, -2.133235, 22.774046}},
    {"nifti/misc/example_nifti2.nii.gz", 1, {32, 20, 12},
     3465054, 46, 757, 266, 422, {55.855103, -2.133235, 22.774046}},
    {"nifti/misc/functional.nii", 0, {17, 21, 3},
     3883746.5523297, 762.542437, 5538.06576, 3865.76542, 3839.6746, {-32, 40, 16}},
    {"nifti/misc/functional.nii", 19, {17, 21, 3},
     3888072.2730831, 829.730046, 5541.08204, 3910.85878, 3851.58891, {-32, 40, 16}},
    {"nifti/misc/small_64D.nii", 0, {10, 10, 10},
     378474, 61, 1675, 140, 242, {2, 3.327773, 25.39312}},
    {"nifti/misc/small_64D.nii", 64, {10, 10, 10}, 85031, 7, 215, 79, 65, {2, 3.327773, 25.39312}},
    {"nifti/misc/standard.nii.gz", -1, {4, 5, 7}, 7650, 0, 255, 0, 0, {3, 12, 12}},
    {"nifti/ms_mni/patient07/FLAIR.nii.gz", -1, {182, 218, 182},
     96835048.751179, -19.6717453, 200.421875, 70.125618, 69.7121658, {-91, 91, 109}},
    {"nifti/ms_mni/patient07/T1.nii.gz", -1, {182, 218, 182},
     315533162.36278, -51.1287155, 1337.1499, 101.137711, 243.781906, {-91, 91, 109}},
    {"nifti/ms_mni/patient07/T1POST.nii.gz", -1, {182, 218, 182},
     318371729.90713, -75.2799454, 1677.70374, 350.504425, 328.038086, {-91, 91, 109}},
    {"nifti/ms_mni/patient07/T2.nii.gz", -1, {182, 218, 182},
     376582013.43754, -62.2778587, 1291.48047, 491.937744, 386.602142, {-91, 91, 109}},
    {"nifti/ms_mni/patient07/lesion.nii.gz", -1, {182, 218, 182}, 1300, 0, 1, 0, 0, {-91, 91, 109}},
    {"nifti/ms_mni/patient19/FLAIR.nii.gz", -1, {182, 218, 182},
     64829648.824018, -16.2430992, 138.412033, 69.912384, 58.0862122, {-91, 91, 109}},
    {"nifti/ms_mni/patient19/T1.nii.gz", -1, {182, 218, 182},
     172987571.4991, -43.410656, 1041.84351, 113.13607, 229.857986, {-91, 91, 109}},
    {"nifti/ms_mni/patient19/T1POST.nii.gz", -1, {182, 218, 182},
     199705923.89097, -44.5381317, 1160.86658, 116.632988, 256.056335, {-91, 91, 109}},
    {"nifti/ms_mni/patient19/T2.nii.gz", -1, {182, 218, 182},
     268069526.24131, -60.5038261, 852.803467, 255.582642, 142.311386, {-91, 91, 109}},
    {"nifti/ms_mni/patient19/lesion.nii.gz", -1, {182, 218, 182},
     49769, 0, 1, 0, 0, {-91, 91, 109}},
    {"nifti/ms_mni/patient26/FLAIR.nii.gz", -1, {182, 218, 182},
     87529347.181624, -12.7313547, 161.437164, 91.5115891, 99.2949448, {-91, 91, 109}},
    {"nifti/ms_mni/patient26/T1.nii.gz", -1, {182, 218, 182},
     276324623.52545, -51.5139046, 966.314514, 66.6963196, 253.680161, {-91, 91, 109}},
    {"nifti/ms_mni/patient26/T1POST.nii.gz", -1, {182, 218, 182},
     312002025.42503, -62.5751076, 1127.43311, 140.347031, 237.989731, {-91, 91, 109}},
    {"nifti/ms_mni/patient26/T2.nii.gz", -1, {182, 218, 182},
     349483932.72972, -70.3585892, 1116.18677, 454.196106, 299.587158, {-91, 91, 109}},
    {"nifti/ms_mni/patient26/lesion.nii.gz", -1, {182, 218, 182}, 8227, 0, 1, 0, 0, {-91, 91, 109}},
    {"mha/BrainProtonDensity3Slices.mha", -1, {181, 217, 3},
     14725708, 0, 250, 228, 156, {-180, -216, 2}},
    {"mha/BrainProtonDensitySliceBorder20.mhd", -1, {221, 257, 1},
     4861905, 1, 249, 203, 156, {-220, -256, 0}},
    {"mha/BrainT1SliceBorder20DirectionPlus30.mhd", -1, {221, 257, 1},
     2671939, 1, 210, 83, 123, {-62.525588, -331.702502, 0}},
    {"mha/CorpusCallosumMeanShape.mha", -1, {58, 31, 1},
     22673.183735847, -3.82609296, 38.6502113, 3.25827718, 4.04069805, {-56.5, -29.5, 0}},
    {"mha/RatLungSlice1.mha", -1, {128, 128, 1}, 857357, 0, 255, 16, 32, {-127, -127, 0}},
    {"mha/ResampleImageFilterInput2x3.mha", -1, {90, 72, 1},
     809810, 0, 249, 206, 162, {-178, -213, 0}},
    {"mha/elastix_exampleinput/fixed.mhd", -1, {256, 256, 1},
     2660536, -2, 217, 73, 144, {-255, -255, 0}},
    {"mha/elastix_exampleinput/moving.mhd", -1, {256, 256, 1},
     5027809, 0, 251, 201, 201, {-255, -255, 0}},
    {"mha/elastix_exampleinput/solution_deformedmovingimage.mhd", -1, {256, 256, 1},
     4941149, -4, 250, 206, 161, {-255, -255, 0}},
    {"mha/itkBrainSliceComplexMagnitude.mha", -1, {181, 217, 1},
     5645383.3277249, 1, 300.561127, 222.847488, 206.4655, {-180, -216, 0}},
    {"mha/itkBrainSliceComplexPhase.mha", -1, {181, 217, 1},
     20304.272960898, 0, 1.57079637, 0.391339272, 0.668689609, {-180, -216, 0}},
    {"mha/prostatex/ProstateX-0000_adc.mha", -1, {84, 128, 19},
     99526141, 0, 3265, 1416, 0, {-120.382293, -145.231477, -46.487238}},
    {"mha/prostatex/ProstateX-0000_adc_raw.mha", -1, {84, 128, 19},
     99526141, 0, 3265, 1416, 0, {-120.382293, -145.231477, -46.487238}},
    {"mha/prostatex/ProstateX-0000_hbv.mha", -1, {84, 128, 19},
     1611857, 0, 266, 25, 0, {-120.382293, -145.231477, -46.487238}},
    {"mha/prostatex/ProstateX-0000_hbv_raw.mha", -1, {84, 128, 19},
     1611857, 0, 266, 25, 0, {-120.382293, -145.231477, -46.487238}},
    {"mha/prostatex/ProstateX-0000_t2w.mha", -1, {384, 384, 19},
     621204627, 0, 1118, 362, 49, {-133.882283, -116.300614, -36.830352}},
    {"mha/prostatex/ProstateX-0000_t2w_raw.mha", -1, {384, 384, 19},
     621204627, 0, 1118, 362, 49, {-133.882283, -116.300614, -36.830352}},
    {"mha/prostatex/ProstateX-0001_adc.mha", -1, {84, 128, 19},
     91202286, 0, 3851, 1089, 0, {-59.044697, -160.745202, -4.053013}},
    {"mha/prostatex/ProstateX-0001_hbv.mha", -1, {84, 128, 19},
     2265236, 0, 859, 30, 0, {-59.044697, -160.745202, -4.053013}},
    {"mha/prostatex/ProstateX-0001_t2w.mha", -1, {384, 384, 19},
     786668099, 0, 1258, 229, 281, {-72.544697, -130.429393, -0.706117}},
    {"mha/prostatex/ProstateX-0218_adc.mha", -1, {160, 130, 20},
     343709766, 0, 4032, 1671, 639, {-112.953313, -106.154515, -25.147558}},
    {"mha/prostatex/ProstateX-0218_hbv.mha", -1, {160, 130, 20},
     5285012, 0, 365, 16, 10, {-112.953313, -106.154515, -25.147558}},
    {"mha/prostatex/ProstateX-0218_t2w.mha", -1, {320, 320, 20},
     746352632, 0, 3143, 195, 110, {-83.953313, -101.9067, -23.31816}},
};
// clang-format on

struct Refused {
  const char* name;
  const char* reason;
};

const std::vector<Refused> kRefused = {
    {"nifti/misc/ATestReferenceImageForReadingAndWriting.nii.gz",
     "21 volumes (23 x 17 x 11 x 7 x 3"},
    {"nifti/misc/example4d.nii.gz", "2 volumes (128 x 96 x 24 x 2"},
    {"nifti/misc/example_nifti2.nii.gz", "2 volumes (32 x 20 x 12 x 2"},
    {"nifti/misc/functional.nii", "20 volumes (17 x 21 x 3 x 20"},
    {"nifti/misc/small_64D.nii", "65 volumes (10 x 10 x 10 x 65"},
    {"mha/itkBrainSliceComplex.mha", "2 numbers per voxel"},
    {"mha/elastix_exampleinput/mask_fixed.mhd", "take 65,536 bytes, found 65,548"},
    {"mha/elastix_exampleinput/mask_moving.mhd", "take 65,536 bytes, found 65,548"},
};

class RealVolumes : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* const given = std::getenv("KNOCKOUT_SHARED_DATA");
    root_ = given != nullptr ? fs::path(given) : fs::path(KNOCKOUT_SOURCE_DIR) / "../shared/data";
    if (!fs::is_directory(root_ / "nifti") || !fs::is_directory(root_ / "mha")) {
      GTEST_SKIP() << "no volumes in " << root_
                   << "; KNOCKOUT_SHARED_DATA names the folder that holds nifti/ and mha/";
    }
  }

  Volume read(const std::string& name, std::int64_t frame = -1) const {
    const std::string path = (root_ / name).string();
    if (!name.starts_with("nifti")) return read_meta_image(path);
    NiftiOptions options;
    if (frame >= 0) options.frame = frame;
    return read_nifti(path, options);
  }

  fs::path root_;
};

TEST_F(RealVolumes, AreReadAsTheirOraclesReadThem) {
  for (const Expected& expected : kReadable) {
    SCOPED_TRACE(expected.name);
    const Volume volume = read(expected.name, expected.frame);
    ASSERT_EQ(volume.size, expected.size);
    double sum = 0, size_sum = 0;
    float least = volume.voxels.front(), greatest = least;
    for (const float voxel : volume.voxels) {
      sum += voxel;
      size_sum += std::abs(voxel);
      least = std::min(least, voxel);
      greatest = std::max(greatest, voxel);
    }
    EXPECT_NEAR(sum, expected.sum, 1e-7 * size_sum);  // a float's precision, in case of a slope
    EXPECT_FLOAT_EQ(least, static_cast<float>(expected.least));
    EXPECT_FLOAT_EQ(greatest, static_cast<float>(expected.greatest));
    const auto voxel_at = [&](std::int64_t part) {
      return volume.voxels[voxel_index(volume.size, volume.size[0] / part, volume.size[1] / part,
                                       volume.size[2] / part)];
    };
    EXPECT_FLOAT_EQ(voxel_at(2), static_cast<float>(expected.at_half));
    EXPECT_FLOAT_EQ(voxel_at(3), static_cast<float>(expected.at_third));
    const Point corner = transform(volume.to_world, {static_cast<double>(volume.size[0] - 1),
                                                     static_cast<double>(volume.size[1] - 1),
                                                     static_cast<double>(volume.size[2] - 1)});
    for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(corner[d], expected.last_corner[d], 1e-4);
  }
}

TEST_F(RealVolumes, AreRefusedWithTheReason) {
  for (const Refused& refused : kRefused) {
    const std::string message = data_error_of([&] { read(refused.name); });
    EXPECT_TRUE(contains(message, fs::path(refused.name).stem().stem().string())) << message;
    EXPECT_TRUE(contains(message, refused.reason)) << message;
  }
}

TEST_F(RealVolumes, HaveAllAnExpectedOutcome) {
  std::set<std::string> known;
  for (const Expected& expected : kReadable) known.insert(expected.name);
  for (const Refused& refused : kRefused) known.insert(refused.name);
  std::size_t found = 0;
  for (const char* folder : {"nifti", "mha"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root_ / folder)) {
      const std::string name = entry.path().lexically_relative(root_).string();
      if (!name.ends_with(".nii") && !name.ends_with(".nii.gz") && !name.ends_with(".mha") &&
          !name.ends_with(".mhd")) {
        continue;
      }
      ++found;
      EXPECT_TRUE(known.contains(name)) << name;
    }
  }
  EXPECT_EQ(found, known.size());
}

TEST_F(RealVolumes, AreEqualCompressedAndPlain) {
  for (const std::string modality : {"t2w", "adc", "hbv"}) {
    const std::string name = "mha/prostatex/ProstateX-0000_" + modality;
    const Volume packed = read(name + ".mha"), plain = read(name + "_raw.mha");
    EXPECT_EQ(packed.size, plain.size);
    EXPECT_EQ(packed.to_world, plain.to_world);
    EXPECT_EQ(packed.voxels, plain.voxels);
  }
}

}  // namespace
}  // namespace knockout
