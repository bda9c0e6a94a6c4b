// SPDX-License-Identifier: Apache-2.0
#include "media/volume/nifti.h"

#include <fmt/format.h>
#include <nifti/nifti2_io.h>

#include <bit>
#include <cassert>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "media/volume/nifti_header.h"
#include "media/volume/volume_error.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

/// "scan.img.gz" with ".hdr" is the first of "scan.hdr" and "scan.hdr.gz" that exists; a path that
/// is neither .hdr nor .img stays.
std::string partner(const std::string& path, std::string_view extension) {
  fs::path base(path);
  if (base.extension() == ".gz") base.replace_extension();
  if (base.extension() != ".hdr" && base.extension() != ".img") return path;
  if (base.extension() == extension) return path;
  base.replace_extension(extension);
  std::error_code ignored;
  if (!fs::exists(base, ignored) && fs::exists(base.string() + ".gz", ignored)) base += ".gz";
  return base.string();
}

/// Throws when fewer bytes are there than the header announces.
void check_length(std::uint64_t found, std::uint64_t expected, const NiftiHeader& header,
                  const std::string& path, std::string_view at_most = "") {
  if (found >= expected) return;
  throw_bad_volume(path, fmt::format("the file is cut off: {} voxels take {} bytes, found {}{}",
                                     size_text(header.all_dimensions()), with_thousands(expected),
                                     at_most, with_thousands(found)));
}

std::int64_t chosen_frame(const NiftiHeader& header, const NiftiOptions& options,
                          const std::string& path) {
  const std::int64_t frames = header.frames();
  if (!options.frame) {
    if (frames == 1) return 0;
    throw_bad_volume(path,
                     fmt::format("it holds {} volumes ({} voxels), but a single one is needed",
                                 with_thousands(static_cast<std::uint64_t>(frames)),
                                 size_text(header.all_dimensions())),
                     "Choose one by its number (frame), or write it to a file of its own.");
  }
  if (*options.frame < 0 || *options.frame >= frames) {
    throw ConfigError(fmt::format("{}: there is no frame {}; the file has {}, counted from 0.",
                                  path, *options.frame,
                                  plural(static_cast<std::uint64_t>(frames), "frame")));
  }
  return *options.frame;
}

/// Reads the voxels from `stream`, where they begin after `gap` more bytes.
Volume read_body(ByteStream& stream, std::uint64_t gap, const NiftiHeader& header,
                 const NiftiOptions& options, const std::string& path) {
  const std::uint64_t all_bytes = checked_bytes(header.all_dimensions(), header.coding.type, path);
  const auto frame = static_cast<std::uint64_t>(chosen_frame(header, options, path));
  const std::uint64_t frame_bytes = all_bytes / static_cast<std::uint64_t>(header.frames());

  if (stream.skip(gap) < gap) {
    throw_bad_volume(path,
                     fmt::format("its voxels should begin at byte {}, but the file ends before",
                                 with_thousands(header.offset)));
  }
  check_length(stream.most_bytes_left(), all_bytes, header, path,
               stream.is_compressed() ? "at most " : "");

  std::uint64_t found = stream.skip(frame * frame_bytes);
  Volume volume{header.size(), header.to_world, {}};
  volume.voxels = read_voxels(stream, voxel_count(volume.size), header.coding);
  found += volume.voxels.size() * bytes_per_voxel(header.coding.type);
  if (found < all_bytes) found += stream.skip(all_bytes - found);
  check_length(found, all_bytes, header, path);
  // Also when more follows than announced: that may be the damage.
  stream.check_rest();
  return volume;
}

}  // namespace

Volume read_nifti(const std::string& path, const NiftiOptions& options) {
  const std::string header_path = partner(path, ".hdr");
  ByteStream stream(header_path, ByteStream::Format::kGzipIfMarked);
  const NiftiHeader header = read_nifti_header(stream, header_path);
  if (!header.in_two_files) {
    return read_body(stream, header.offset - header.header_bytes, header, options, header_path);
  }
  const std::string image_path = partner(header_path, ".img");
  if (image_path == header_path) {
    throw_bad_volume(path, "its header says that the voxels are in a separate .img file",
                     "Name the files .hdr and .img.");
  }
  ByteStream image(image_path, ByteStream::Format::kGzipIfMarked);
  return read_body(image, header.offset, header, options, image_path);
}

VolumeInfo read_nifti_info(const std::string& path) {
  const std::string header_path = partner(path, ".hdr");
  ByteStream stream(header_path, ByteStream::Format::kGzipIfMarked);
  const NiftiHeader header = read_nifti_header(stream, header_path);
  checked_bytes(header.all_dimensions(), header.coding.type, path);
  return {header.size(), header.frames(), header.to_world};
}

void write_nifti(const Volume& volume, const std::string& path, VoxelType type) {
  assert(volume.voxels.size() == voxel_count(volume.size));
  const bool packed = path.ends_with(".nii.gz");
  if (!packed && !path.ends_with(".nii")) {
    throw ConfigError(
        fmt::format("cannot write \"{}\" as NIfTI: the name must end in .nii or .nii.gz.", path));
  }
  nifti_1_header header = {};
  header.sizeof_hdr = sizeof(header);
  header.regular = 'r';
  header.dim[0] = 3;
  for (std::size_t d = 4; d < 8; ++d) header.dim[d] = 1;
  header.pixdim[0] = 1;
  const Point steps = spacing(volume.to_world);
  for (std::size_t d = 0; d < 3; ++d) {
    if (volume.size[d] < 1 || volume.size[d] > 32767) {
      throw_bad_volume(
          path,
          fmt::format("cannot write {} voxels: NIfTI-1 holds 1 to 32,767 along an axis",
                      size_text(volume.size)),
          "Crop or resize the volume first.");
    }
    header.dim[d + 1] = static_cast<short>(volume.size[d]);
    header.pixdim[d + 1] = static_cast<float>(steps[d]);
  }
  header.datatype = static_cast<short>(nifti_code_of(type));
  header.bitpix = static_cast<short>(8 * bytes_per_voxel(type));
  header.vox_offset = sizeof(header) + 4;
  header.scl_slope = 1;
  header.xyzt_units = NIFTI_UNITS_MM;
  header.sform_code = NIFTI_XFORM_SCANNER_ANAT;
  for (std::size_t c = 0; c < 4; ++c) {
    header.srow_x[c] = static_cast<float>(volume.to_world[0][c]);
    header.srow_y[c] = static_cast<float>(volume.to_world[1][c]);
    header.srow_z[c] = static_cast<float>(volume.to_world[2][c]);
  }
  std::memcpy(header.magic, "n+1", 4);
  if constexpr (std::endian::native == std::endian::big) nifti_swap_as_nifti1(&header);

  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes.append(4, '\0');  // no extension
  bytes += encode_voxels(volume.voxels, type, path);
  if (packed) bytes = compress_bytes(bytes, Packing::kGzip);
  write_atomically(path, bytes);
}

}  // namespace knockout
