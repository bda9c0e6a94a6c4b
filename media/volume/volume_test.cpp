// SPDX-License-Identifier: Apache-2.0
#include "media/volume/volume.h"

#include <cmath>
#include <limits>

#include "media/volume/test_files.h"

namespace knockout {
namespace {

TEST(Volume, CountsXFastest) {
  EXPECT_EQ(voxel_count({4, 3, 2}), 24U);
  EXPECT_EQ(voxel_index({4, 3, 2}, 1, 0, 0), 1U);
  EXPECT_EQ(voxel_index({4, 3, 2}, 0, 1, 0), 4U);
  EXPECT_EQ(voxel_index({4, 3, 2}, 3, 2, 1), 23U);
}

TEST(Volume, SpacingIsTheLengthOfEachColumn) {
  const Point found = spacing({{{3, 0, 0, 7}, {4, 0, -2, 8}, {0, 6, 0, 9}}});
  EXPECT_EQ(found, (Point{5, 6, 2}));
}

TEST(Volume, TransformAppliesMatrixAndOffset) {
  // -1.5*1 + 0.25*2 + 10; 0.5*1 + 2*2 - 20; 0.125*2 + 3*3 + 30
  EXPECT_EQ(transform(kOblique, {1, 2, 3}), (Point{9, -15.5, 39.25}));
}

TEST(Volume, ComposeAppliesTheFirstFirst) {
  const Affine doubled = {{{2, 0, 0, 1}, {0, 2, 0, 1}, {0, 0, 2, 1}}};
  const Point point = {1, 2, 3};
  EXPECT_EQ(transform(compose(kOblique, doubled), point),
            transform(kOblique, transform(doubled, point)));
  EXPECT_NE(transform(compose(doubled, kOblique), point),
            transform(compose(kOblique, doubled), point));
}

TEST(Volume, InverseUndoesTheTransform) {
  expect_near(compose(inverse(kOblique), kOblique), kIdentityAffine, 1e-14);
  expect_near(compose(kOblique, inverse(kOblique)), kIdentityAffine, 1e-14);
}

TEST(Volume, TellsWhichAffinesLoseNoAxis) {
  Affine tiny = kIdentityAffine;
  for (std::size_t d = 0; d < 3; ++d) tiny[d][d] = 1e-6;
  EXPECT_TRUE(is_invertible(kOblique));
  EXPECT_TRUE(is_invertible(tiny));
  Affine flat = kIdentityAffine;
  flat[2][2] = 0;
  EXPECT_FALSE(is_invertible(flat));
  Affine doubled_axis = kIdentityAffine;
  doubled_axis[0][1] = 1;
  doubled_axis[1][1] = 0;
  EXPECT_FALSE(is_invertible(doubled_axis));
  Affine unknown = kIdentityAffine;
  unknown[1][3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_invertible(unknown));
}

}  // namespace
}  // namespace knockout
