// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "media/volume/byte_stream.h"
#include "media/volume/volume.h"
#include "media/volume/voxel_type.h"

namespace knockout {

/// What both versions of the header say, checked.
struct NiftiHeader {
  std::uint64_t header_bytes = 0;
  bool in_two_files = false;
  std::array<std::int64_t, 7> dimensions = {1, 1, 1, 1, 1, 1, 1};
  std::size_t dimension_count = 0;
  VoxelCoding coding;
  std::uint64_t offset = 0;
  Affine to_world = kIdentityAffine;

  std::span<const std::int64_t> all_dimensions() const {
    return {dimensions.data(), dimension_count};
  }
  VolumeSize size() const { return {dimensions[0], dimensions[1], dimensions[2]}; }
  std::int64_t frames() const {
    return dimensions[3] * dimensions[4] * dimensions[5] * dimensions[6];
  }
};

/// Reads the header with which `stream` begins, and nothing after it. Throws DataError with `path`.
NiftiHeader read_nifti_header(ByteStream& stream, const std::string& path);

/// The number by which NIfTI knows the type.
int nifti_code_of(VoxelType type);

}  // namespace knockout
