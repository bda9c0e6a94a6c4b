// SPDX-License-Identifier: Apache-2.0
#include "media/volume/meta_image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <string_view>
#include <vector>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "media/volume/meta_header.h"
#include "media/volume/volume_error.h"

namespace knockout {
namespace {

[[noreturn]] void throw_wrong_length(const MetaHeader& header, std::string_view found) {
  throw_bad_volume(
      header.data_path,
      fmt::format("{} voxels of {} take {} bytes, found {}", size_text(header.size),
                  meta_name_of(header.coding.type), with_thousands(header.byte_count), found));
}

}  // namespace

Volume read_meta_image(const std::string& path) {
  const MetaHeader header = read_meta_header(path);
  std::uint64_t offset = header.offset;
  if (header.at_the_end) {
    const std::uint64_t all = ByteStream(header.data_path).file_bytes_left();
    offset = all - std::min(all, header.byte_count);
  }
  ByteStream stream(header.data_path,
                    header.compressed ? ByteStream::Format::kZlib : ByteStream::Format::kPlain,
                    offset);
  if (!header.compressed && stream.file_bytes_left() != header.byte_count) {
    throw_wrong_length(header, with_thousands(stream.file_bytes_left()));
  }
  if (stream.most_bytes_left() < header.byte_count) {
    throw_wrong_length(header, fmt::format("at most {}", with_thousands(stream.most_bytes_left())));
  }
  Volume volume{header.size, header.to_world, {}};
  volume.voxels = read_voxels(stream, voxel_count(header.size), header.coding);
  if (volume.voxels.size() < voxel_count(header.size)) {
    throw_wrong_length(header,
                       with_thousands(volume.voxels.size() * bytes_per_voxel(header.coding.type)));
  }
  // One byte on, where zlib's checksum is tested.
  if (stream.skip(1) > 0) throw_wrong_length(header, "more");
  if (stream.file_bytes_left() > 0) {
    throw_bad_volume(header.data_path, fmt::format("{} surplus after the compressed data",
                                                   plural(stream.file_bytes_left(), "byte")));
  }
  return volume;
}

VolumeInfo read_meta_image_info(const std::string& path) {
  const MetaHeader header = read_meta_header(path);
  return {header.size, 1, header.to_world};
}

void write_meta_image(const Volume& volume, const std::string& path, VoxelType type,
                      bool compressed) {
  assert(volume.voxels.size() == voxel_count(volume.size));
  if (!path.ends_with(".mha")) {
    throw ConfigError(
        fmt::format("cannot write \"{}\" as MetaImage: the name must end in .mha.", path));
  }
  std::string data = encode_voxels(volume.voxels, type, path);
  if (compressed) data = compress_bytes(data, Packing::kZlib);
  const Affine affine = swap_lps_and_ras(volume.to_world);
  const Point steps = spacing(affine);
  std::vector<double> axes;
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t r = 0; r < 3; ++r) axes.push_back(affine[r][d] / steps[d]);
  }
  std::string header = "ObjectType = Image\nNDims = 3\nBinaryData = True\n";
  header += "BinaryDataByteOrderMSB = False\n";
  header += fmt::format("CompressedData = {}\n", compressed ? "True" : "False");
  if (compressed) header += fmt::format("CompressedDataSize = {}\n", data.size());
  header += fmt::format("TransformMatrix = {}\n", fmt::join(axes, " "));
  header += fmt::format("Offset = {} {} {}\n", affine[0][3], affine[1][3], affine[2][3]);
  header += fmt::format("CenterOfRotation = 0 0 0\nElementSpacing = {}\n", fmt::join(steps, " "));
  header += fmt::format("DimSize = {}\n", fmt::join(volume.size, " "));
  header += fmt::format("ElementType = {}\nElementDataFile = LOCAL\n", meta_name_of(type));
  AtomicFile file(path);
  file.write(header);
  file.write(data);
  file.commit();
}

}  // namespace knockout
