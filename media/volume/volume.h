// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace knockout {

/// Three rows of a 3x4 matrix: a voxel's index (x, y, z, 1) to millimetres in RAS+, where x grows
/// to the patient's right, y to the front and z to the head.
using Affine = std::array<std::array<double, 4>, 3>;

using Point = std::array<double, 3>;
using VolumeSize = std::array<std::int64_t, 3>;

inline constexpr Affine kIdentityAffine = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/// A medical image in memory. Whatever convention its file had, `to_world` is RAS+.
struct Volume {
  VolumeSize size = {0, 0, 0};  ///< Voxels along x, y, z; x runs fastest in `voxels`.
  Affine to_world = kIdentityAffine;
  std::vector<float> voxels;
};

/// What the header of a file says about its volume.
struct VolumeInfo {
  VolumeSize size = {0, 0, 0};
  std::int64_t frames = 1;  ///< Volumes in the file: the product of all further dimensions.
  Affine to_world = kIdentityAffine;
};

inline std::size_t voxel_count(const VolumeSize& size) {
  return static_cast<std::size_t>(size[0] * size[1] * size[2]);
}

inline std::size_t voxel_index(const VolumeSize& size, std::int64_t x, std::int64_t y,
                               std::int64_t z) {
  return static_cast<std::size_t>((z * size[1] + y) * size[0] + x);
}

/// Millimetres from one voxel to the next along x, y, z: the lengths of the matrix's columns.
Point spacing(const Affine& affine);

Point transform(const Affine& affine, const Point& point);

/// The transform that applies `first`, then `second`.
Affine compose(const Affine& second, const Affine& first);

/// Whether every element is finite and no axis is lost.
bool is_invertible(const Affine& affine);

/// REQUIRES: is_invertible(affine).
Affine inverse(const Affine& affine);

}  // namespace knockout
