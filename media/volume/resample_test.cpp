// SPDX-License-Identifier: Apache-2.0
#include "media/volume/resample.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "media/volume/test_files.h"

namespace knockout {
namespace {

/// Linear in the world, which trilinear interpolation reproduces exactly.
double plane(const Point& world) { return 3.0 + 0.5 * world[0] - 0.25 * world[1] + 2.0 * world[2]; }

Point centre(std::int64_t x, std::int64_t y, std::int64_t z) {
  return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

Volume plane_volume(const VolumeSize& size, const Affine& to_world) {
  Volume volume{size, to_world, {}};
  for (std::int64_t z = 0; z < size[2]; ++z) {
    for (std::int64_t y = 0; y < size[1]; ++y) {
      for (std::int64_t x = 0; x < size[0]; ++x) {
        volume.voxels.push_back(static_cast<float>(plane(transform(to_world, centre(x, y, z)))));
      }
    }
  }
  return volume;
}

/// Calls `check(x, y, z, voxel)` for every voxel.
template <typename Check>
void for_each_voxel(const Volume& volume, Check check) {
  ASSERT_EQ(volume.voxels.size(), voxel_count(volume.size));
  for (std::int64_t z = 0; z < volume.size[2]; ++z) {
    for (std::int64_t y = 0; y < volume.size[1]; ++y) {
      for (std::int64_t x = 0; x < volume.size[0]; ++x) {
        check(x, y, z, volume.voxels[voxel_index(volume.size, x, y, z)]);
      }
    }
  }
}

TEST(Resize, IsExactForALinearFunctionBetweenTheOutermostCentres) {
  const Volume volume = plane_volume({9, 7, 6}, kOblique);
  for (const VolumeSize& size : {VolumeSize{5, 11, 3}, VolumeSize{18, 2, 13}}) {
    const Volume resized = resize(volume, size);
    EXPECT_EQ(resized.size, size);
    int checked = 0;
    for_each_voxel(resized, [&](auto x, auto y, auto z, float voxel) {
      const Point world = transform(resized.to_world, centre(x, y, z));
      const Point old = transform(inverse(kOblique), world);
      for (std::size_t d = 0; d < 3; ++d) {
        if (old[d] < 0 || old[d] > static_cast<double>(volume.size[d] - 1)) return;
      }
      ++checked;
      EXPECT_NEAR(voxel, plane(world), 1e-4);
    });
    EXPECT_GT(checked, 20);
  }
}

TEST(Resize, KeepsTheOuterFacesInPlace) {
  const Volume resized = resize(plane_volume({9, 7, 6}, kOblique), {5, 11, 3});
  const Point first = transform(resized.to_world, {-0.5, -0.5, -0.5});
  const Point last = transform(resized.to_world, {4.5, 10.5, 2.5});
  const Point expected_first = transform(kOblique, {-0.5, -0.5, -0.5});
  const Point expected_last = transform(kOblique, {8.5, 6.5, 5.5});
  for (std::size_t d = 0; d < 3; ++d) {
    EXPECT_NEAR(first[d], expected_first[d], 1e-12);
    EXPECT_NEAR(last[d], expected_last[d], 1e-12);
  }
}

TEST(Resize, GivesHandComputedVoxelsAlongOneAxis) {
  // Centres of 4 voxels in a row of 2 lie at -0.25, 0.25, 0.75 and 1.25.
  EXPECT_EQ(resize({{2, 1, 1}, kIdentityAffine, {0, 8}}, {4, 1, 1}).voxels,
            (std::vector<float>{0, 2, 6, 8}));
  EXPECT_EQ(resize({{1, 2, 1}, kIdentityAffine, {0, 8}}, {1, 4, 1}).voxels,
            (std::vector<float>{0, 2, 6, 8}));
  EXPECT_EQ(resize({{1, 1, 2}, kIdentityAffine, {0, 8}}, {1, 1, 4}).voxels,
            (std::vector<float>{0, 2, 6, 8}));
}

TEST(Resize, ToTheSameSizeChangesNothing) {
  const Volume volume = sample_volume();
  const Volume same = resize(volume, volume.size);
  EXPECT_EQ(same.voxels, volume.voxels);
  EXPECT_EQ(same.to_world, volume.to_world);
}

TEST(Crop, KeepsVoxelsAtTheirPlaceInTheWorldAndPadsWithZero) {
  const Volume volume = sample_volume();
  for (const VolumeSize& begin :
       {VolumeSize{1, 1, 0}, VolumeSize{-2, 1, -1}, VolumeSize{3, -1, 1}, VolumeSize{9, 0, 0}}) {
    const Volume part = crop(volume, begin, {3, 4, 2});
    for_each_voxel(part, [&](auto x, auto y, auto z, float voxel) {
      const std::int64_t old_x = x + begin[0], old_y = y + begin[1], old_z = z + begin[2];
      EXPECT_EQ(transform(part.to_world, centre(x, y, z)),
                transform(volume.to_world, centre(old_x, old_y, old_z)));
      const bool inside =
          old_x >= 0 && old_x < 4 && old_y >= 0 && old_y < 3 && old_z >= 0 && old_z < 2;
      EXPECT_EQ(voxel, inside ? volume.voxels[voxel_index(volume.size, old_x, old_y, old_z)] : 0);
    });
  }
}

TEST(ResampleLike, IsExactForALinearFunctionInsideAndZeroOutside) {
  const Volume moving = plane_volume({9, 7, 6}, kOblique);
  // Another grid over the same place, turned by 30 degrees about z, finer and larger.
  const double c = std::cos(std::numbers::pi / 6), s = std::sin(std::numbers::pi / 6);
  Volume reference;
  reference.size = {20, 25, 30};
  reference.to_world = {{{c, -s, 0, -4}, {s, c, 0, -24}, {0, 0, 0.75, 28}}};
  const Volume result = resample_like(moving, reference);
  EXPECT_EQ(result.size, reference.size);
  EXPECT_EQ(result.to_world, reference.to_world);
  int inside = 0, outside = 0;
  for_each_voxel(result, [&](auto x, auto y, auto z, float voxel) {
    const Point world = transform(reference.to_world, centre(x, y, z));
    const Point place = transform(inverse(kOblique), world);
    bool between_centres = true, beyond = false;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto last = static_cast<double>(moving.size[d] - 1);
      between_centres = between_centres && place[d] >= 0 && place[d] <= last;
      beyond = beyond || place[d] < -0.51 || place[d] > last + 0.51;
    }
    if (between_centres) {
      ++inside;
      EXPECT_NEAR(voxel, plane(world), 1e-4);
    } else if (beyond) {
      ++outside;
      EXPECT_EQ(voxel, 0.0F);
    }
  });
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

TEST(ResampleLike, ItselfChangesNothing) {
  const Volume volume = sample_volume();
  const Volume same = resample_like(volume, volume);
  for (std::size_t i = 0; i < volume.voxels.size(); ++i) {
    EXPECT_NEAR(same.voxels[i], volume.voxels[i], 1e-5);
  }
}

TEST(ResampleLike, ContinuesTheBorderForHalfAVoxel) {
  const Volume moving{{2, 1, 1}, kIdentityAffine, {4, 8}};
  Volume reference{{7, 1, 1}, kIdentityAffine, {}};
  reference.to_world[0] = {0.4, 0, 0, -0.8};  // at -0.8, -0.4, 0, 0.4, 0.8, 1.2, 1.6
  const std::vector<float> found = resample_like(moving, reference).voxels;
  const std::vector<float> expected = {0, 4, 4, 5.6F, 7.2F, 8, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5) << i;
}

TEST(ScaleToUnitRange, MapsLeastToZeroAndGreatestToOne) {
  Volume volume{{5, 1, 1}, kIdentityAffine, {-2, 0, 1, 6, 2}};
  scale_to_unit_range(volume);
  EXPECT_EQ(volume.voxels, (std::vector<float>{0, 0.25F, 0.375F, 1, 0.5F}));
}

TEST(ScaleToUnitRange, MakesAConstantVolumeZeroAndSurvivesTheWidestRange) {
  Volume constant{{2, 1, 1}, kIdentityAffine, {7, 7}};
  scale_to_unit_range(constant);
  EXPECT_EQ(constant.voxels, (std::vector<float>{0, 0}));
  Volume wide{{3, 1, 1}, kIdentityAffine, {-3e38F, 0, 3e38F}};
  scale_to_unit_range(wide);
  EXPECT_EQ(wide.voxels, (std::vector<float>{0, 0.5F, 1}));
}

}  // namespace
}  // namespace knockout
