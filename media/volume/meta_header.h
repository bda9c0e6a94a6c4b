// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "media/volume/volume.h"
#include "media/volume/voxel_type.h"

namespace knockout {

/// What the header says, checked.
struct MetaHeader {
  VolumeSize size = {1, 1, 1};
  Affine to_world = kIdentityAffine;
  VoxelCoding coding;
  bool compressed = false;
  std::string data_path;
  bool at_the_end = false;   ///< The voxels are the last bytes of the file.
  std::uint64_t offset = 0;  ///< Otherwise they begin here.
  std::uint64_t byte_count = 0;
};

/// Throws DataError or FileError with `path`.
MetaHeader read_meta_header(const std::string& path);

/// "MET_SHORT"
std::string_view meta_name_of(VoxelType type);

/// x and y point left and to the back in LPS, right and to the front in RAS. Its own inverse.
Affine swap_lps_and_ras(Affine affine);

}  // namespace knockout
