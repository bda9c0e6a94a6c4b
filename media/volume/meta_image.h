// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "media/volume/volume.h"
#include "media/volume/voxel_type.h"

namespace knockout {

/// Reads a MetaImage: .mha, or .mhd with its .raw or .zraw. Integers of 8 to 64 bits and floats of
/// 32 and 64 bits in either byte order, plain or zlib; a picture of two dimensions becomes one
/// slice. MetaImage's LPS coordinates become RAS+. NaN and infinity become 0 (voxel_type.h says
/// why).
/// Throws FileError when a file cannot be opened, DataError when it is damaged, not MetaImage,
/// holds more or fewer bytes than its header announces, or something else than one number per voxel
/// of two or three dimensions. Safe from any thread.
///   Volume adc = read_meta_image("10000/10000_1000000_adc.mha");
Volume read_meta_image(const std::string& path);

/// Only the header: no voxel is read, so that a damaged body goes unnoticed.
VolumeInfo read_meta_image_info(const std::string& path);

/// Writes an .mha file that appears whole or not at all. Throws DataError when a voxel does not fit
/// `type`.
void write_meta_image(const Volume& volume, const std::string& path, VoxelType type,
                      bool compressed);

}  // namespace knockout
