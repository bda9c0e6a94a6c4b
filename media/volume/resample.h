// SPDX-License-Identifier: Apache-2.0
// Volumes on another grid. Every result keeps its place in the world: its affine follows.
#pragma once

#include "media/volume/volume.h"

namespace knockout {

/// The same block of space in `size` voxels, interpolated linearly. The outer faces of both grids
/// coincide; beyond the outermost centres the border continues. Nothing is smoothed before, so that
/// a strong reduction passes over voxels.
Volume resize(const Volume& volume, const VolumeSize& size);

/// The box of `size` voxels that begins at voxel `begin`, which may lie outside, where voxels are
/// 0.
Volume crop(const Volume& volume, const VolumeSize& begin, const VolumeSize& size);

/// `moving` on the grid of `reference`, matched by the affines of both and interpolated linearly.
/// A centre outside all of `moving`'s voxels gets 0; the outer half of a border voxel has its
/// value.
Volume resample_like(const Volume& moving, const Volume& reference);

/// Maps the least voxel to 0 and the greatest to 1; a constant volume becomes 0.
void scale_to_unit_range(Volume& volume);

}  // namespace knockout
