// SPDX-License-Identifier: Apache-2.0
// libnifti2 lends its header structures, their byte swapping and the quaternion. Its own readers
// are not called: docs/dependencies.md says why.
#include "media/volume/nifti_header.h"

#include <fmt/format.h>
#include <nifti/nifti2_io.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

#include "media/volume/volume_error.h"

namespace knockout {
namespace {

static_assert(sizeof(nifti_1_header) == 348 && sizeof(nifti_2_header) == 540);

struct TypeCode {
  int code;
  VoxelType type;
};

constexpr std::array<TypeCode, 10> kTypeCodes = {{
    {DT_UINT8, VoxelType::kUint8},
    {DT_INT8, VoxelType::kInt8},
    {DT_UINT16, VoxelType::kUint16},
    {DT_INT16, VoxelType::kInt16},
    {DT_UINT32, VoxelType::kUint32},
    {DT_INT32, VoxelType::kInt32},
    {DT_UINT64, VoxelType::kUint64},
    {DT_INT64, VoxelType::kInt64},
    {DT_FLOAT32, VoxelType::kFloat32},
    {DT_FLOAT64, VoxelType::kFloat64},
}};

VoxelType voxel_type_of(int code, const std::string& path) {
  for (const TypeCode& known : kTypeCodes) {
    if (known.code == code) return known.type;
  }
  switch (code) {
    case DT_COMPLEX64:
    case DT_COMPLEX128:
    case DT_COMPLEX256:
      throw_bad_volume(path, "its voxels are complex numbers, but one number per voxel is needed",
                       "Write the magnitude to a file of its own.");
    case DT_RGB24:
    case DT_RGBA32:
      throw_bad_volume(path, "its voxels are colours, but one number per voxel is needed",
                       "Write the brightness, or each colour, to a file of its own.");
    case DT_FLOAT128:
      throw_bad_volume(path,
                       "its voxels are floats of 128 bits, whose layout differs between machines",
                       "Write it as 32-bit float.");
    default:
      throw_bad_volume(path, fmt::format("the data type {} is not one of NIfTI's numbers", code));
  }
}

double millimetres_per_unit(int units) {
  switch (XYZT_TO_SPACE(units)) {
    case NIFTI_UNITS_METER:
      return 1e3;
    case NIFTI_UNITS_MICRON:
      return 1e-3;
    default:
      return 1.0;
  }
}

/// The sform, else the qform, else the spacing, as the standard orders them.
template <typename Header>
Affine affine_of(const Header& header, const std::string& path) {
  std::string_view source = "spacing";
  Affine affine = kIdentityAffine;
  if (header.sform_code > 0) {
    source = "sform";
    for (std::size_t c = 0; c < 4; ++c) {
      affine[0][c] = header.srow_x[c];
      affine[1][c] = header.srow_y[c];
      affine[2][c] = header.srow_z[c];
    }
  } else if (header.qform_code > 0) {
    source = "qform";
    const nifti_dmat44 matrix = nifti_quatern_to_dmat44(
        header.quatern_b, header.quatern_c, header.quatern_d, header.qoffset_x, header.qoffset_y,
        header.qoffset_z, header.pixdim[1], header.pixdim[2], header.pixdim[3],
        header.pixdim[0] < 0 ? -1.0 : 1.0);
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 4; ++c) affine[r][c] = matrix.m[r][c];
    }
  } else {
    for (std::size_t d = 0; d < 3; ++d) {
      const double step = std::abs(header.pixdim[d + 1]);
      affine[d][d] = step > 0 ? step : 1.0;  // pictures have no third step
    }
  }
  const double unit = millimetres_per_unit(header.xyzt_units);
  for (auto& row : affine) {
    for (double& value : row) value *= unit;
  }
  if (!is_invertible(affine)) {
    throw_bad_volume(
        path, fmt::format("the {} in its header places all voxels in one plane or nowhere", source),
        "Write the file again with a valid orientation.");
  }
  return affine;
}

/// `header` has this machine's byte order.
template <typename Header>
NiftiHeader checked_header(const Header& header, const std::string& path) {
  const std::string_view magic(header.magic, 3);
  NiftiHeader result;
  result.header_bytes = sizeof(Header);
  const bool is_first_version = sizeof(Header) == sizeof(nifti_1_header);
  if (magic == (is_first_version ? "ni1" : "ni2")) {
    result.in_two_files = true;
  } else if (magic != (is_first_version ? "n+1" : "n+2")) {
    throw_bad_volume(path, "not a NIfTI file: its header is that of ANALYZE 7.5, or damaged",
                     "ANALYZE does not say which side is left: convert it with its own software.");
  }

  const auto count = static_cast<std::int64_t>(header.dim[0]);
  if (count < 1 || count > 7) {
    throw_bad_volume(path,
                     fmt::format("the header says {} dimensions, but 1 to 7 are possible", count));
  }
  result.dimension_count = static_cast<std::size_t>(count);
  for (std::size_t d = 0; d < result.dimension_count; ++d) {
    result.dimensions[d] = header.dim[d + 1];
    // Some writers leave the dimensions that they do not use at 0.
    if (d >= 3 && result.dimensions[d] == 0) result.dimensions[d] = 1;
  }
  result.coding.type = voxel_type_of(header.datatype, path);

  const double slope = header.scl_slope;
  const double intercept = header.scl_inter;
  if (slope != 0.0 && std::isfinite(slope)) {
    if (!std::isfinite(intercept)) {
      throw_bad_volume(path, "the intercept in its header is not a number");
    }
    result.coding.slope = slope;
    result.coding.intercept = intercept;
  }

  const auto offset = static_cast<double>(header.vox_offset);
  const std::size_t least = result.in_two_files ? 0 : sizeof(Header);
  if (offset == 0.0 && !result.in_two_files) {
    result.offset = sizeof(Header) + 4;  // not set: after the mark of no extension
  } else if (offset >= static_cast<double>(least) && offset < 0x1p48) {
    result.offset = static_cast<std::uint64_t>(offset);
  } else {
    throw_bad_volume(path, fmt::format("its header says that voxels begin at byte {}", offset));
  }
  result.to_world = affine_of(header, path);
  return result;
}

template <typename Header, typename Swap>
NiftiHeader read_rest(ByteStream& stream, std::int32_t size_field, bool reversed, Swap swap,
                      const std::string& path) {
  char bytes[sizeof(Header)];
  std::memcpy(bytes, &size_field, sizeof(size_field));
  const std::size_t rest = sizeof(Header) - sizeof(size_field);
  const std::size_t found = stream.read(bytes + sizeof(size_field), rest);
  if (found < rest) {
    throw_bad_volume(path, fmt::format("the file ends inside its header, after {} of {} bytes",
                                       sizeof(size_field) + found, sizeof(Header)));
  }
  Header header;
  std::memcpy(&header, bytes, sizeof(Header));
  if (reversed) swap(&header);
  NiftiHeader result = checked_header(header, path);
  result.coding.big_endian = reversed == (std::endian::native == std::endian::little);
  return result;
}

}  // namespace

NiftiHeader read_nifti_header(ByteStream& stream, const std::string& path) {
  std::int32_t size_field = 0;
  if (stream.read(reinterpret_cast<char*>(&size_field), sizeof(size_field)) == sizeof(size_field)) {
    const auto swapped =
        static_cast<std::int32_t>(__builtin_bswap32(static_cast<std::uint32_t>(size_field)));
    for (const bool reversed : {false, true}) {
      const std::int32_t size = reversed ? swapped : size_field;
      if (size == sizeof(nifti_1_header)) {
        return read_rest<nifti_1_header>(stream, size_field, reversed, &nifti_swap_as_nifti1, path);
      }
      if (size == sizeof(nifti_2_header)) {
        return read_rest<nifti_2_header>(stream, size_field, reversed, &nifti_swap_as_nifti2, path);
      }
    }
  }
  throw_bad_volume(path, "not a NIfTI file: it does not begin with the size of a NIfTI header",
                   "A NIfTI file begins with the number 348 or 540, possibly inside gzip.");
}

int nifti_code_of(VoxelType type) {
  return std::find_if(kTypeCodes.begin(), kTypeCodes.end(),
                      [&](const TypeCode& known) { return known.type == type; })
      ->code;
}

}  // namespace knockout
