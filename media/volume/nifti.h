// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "media/volume/volume.h"
#include "media/volume/voxel_type.h"

namespace knockout {

/// What is read of a file that holds several volumes.
struct NiftiOptions {
  /// Which volume, counted over all dimensions after the third. Without it, a file with more than
  /// one is refused: a network for volumes would otherwise silently see the first of a series.
  std::optional<std::int64_t> frame;
};

/// Reads a NIfTI-1 or NIfTI-2 file: .nii, or .hdr with .img beside it (either may be named), each
/// plain or gzip, whatever its name says. Integers of 8 to 64 bits and floats of 32 and 64 bits in
/// either byte order; slope and intercept are applied unless the slope is 0; NaN and infinity
/// become 0 (voxel_type.h says why). The affine is the sform, else the qform, else the spacing.
/// Bytes after the last voxel are ignored, as other readers do.
/// Throws FileError when a file cannot be opened, DataError when it is damaged, cut off, not NIfTI
/// or holds complex numbers, colours or several volumes; ConfigError for a frame it does not have.
/// Safe from any thread.
///   Volume flair = read_nifti("BraTS2021_00000/BraTS2021_00000_flair.nii.gz");
Volume read_nifti(const std::string& path, const NiftiOptions& options = {});

/// Only the header: no voxel is read, so that a damaged body goes unnoticed.
VolumeInfo read_nifti_info(const std::string& path);

/// Writes a NIfTI-1 file, .nii or .nii.gz, that appears whole or not at all. The affine becomes
/// the sform, which has the precision of floats. Throws DataError when a voxel does not fit `type`.
void write_nifti(const Volume& volume, const std::string& path, VoxelType type);

}  // namespace knockout
