// SPDX-License-Identifier: Apache-2.0
// For the fuzzers of volumes.
#pragma once

#include <cmath>

#include "fuzz/shared/require.h"
#include "media/volume/volume.h"

namespace knockout::fuzz {

/// What every volume promises that was read, whatever its file said.
inline void check_volume(const Volume& volume, const VolumeInfo& info) {
  require(volume.voxels.size() == voxel_count(volume.size) && !volume.voxels.empty(),
          "as many voxels as the size says");
  require(volume.size == info.size && volume.to_world == info.to_world,
          "the header says what the volume is");
  require(is_invertible(volume.to_world), "no axis is lost");
  for (const float voxel : volume.voxels) require(std::isfinite(voxel), "finite voxels");
}

/// Neither straight nor square, and with another number along every axis.
inline Volume sample_volume() {
  Volume volume;
  volume.size = {3, 2, 2};
  volume.to_world = {{{-1.5, 0.25, 0, 10}, {0.5, 2, 0, -20}, {0, 0.125, 3, 30}}};
  for (int i = 0; i < 12; ++i) volume.voxels.push_back(static_cast<float>(i * i % 7));
  return volume;
}

}  // namespace knockout::fuzz
