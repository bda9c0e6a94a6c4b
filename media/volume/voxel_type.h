// SPDX-License-Identifier: Apache-2.0
// Voxels as files store them, and the way from there to floats and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "media/volume/byte_stream.h"

namespace knockout {

enum class VoxelType {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat32,
  kFloat64,
};

std::size_t bytes_per_voxel(VoxelType type);

/// How bytes become a number: slope * stored + intercept, computed in double.
struct VoxelCoding {
  VoxelType type = VoxelType::kFloat32;
  bool big_endian = false;
  double slope = 1.0;
  double intercept = 0.0;
};

/// A NaN or an infinite voxel becomes 0: tools write them outside the brain, where everyone else
/// writes 0, and a single one would turn a whole network's output into NaN.
void decode_voxels(const char* bytes, std::span<float> voxels, const VoxelCoding& coding);

/// Little-endian bytes; integers are rounded to the nearest. Throws DataError with `path` when a
/// voxel does not fit the type.
std::string encode_voxels(std::span<const float> voxels, VoxelType type, const std::string& path);

/// The next `count` voxels, fewer when the data end. Decodes piece by piece, so that the stored
/// bytes are never in memory as a whole.
std::vector<float> read_voxels(ByteStream& stream, std::size_t count, const VoxelCoding& coding);

/// The bytes that `dimensions` voxels take. Throws DataError with `path` when a dimension is below
/// 1 or one volume (the first three) would not fit a sensible memory.
std::uint64_t checked_bytes(std::span<const std::int64_t> dimensions, VoxelType type,
                            const std::string& path);

/// "182 x 218 x 182"
std::string size_text(std::span<const std::int64_t> dimensions);

}  // namespace knockout
