// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for NIfTI volumes: whatever the bytes, they are read or refused with a DataError
// or, for a frame that is not there, a ConfigError. The first byte says whether a frame is asked
// for, whether the rest is compressed before, and whether it is one file or a header and an image.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/check_volume.h"
#include "fuzz/shared/seeds.h"
#include "fuzz/shared/temporary_folder.h"
#include "knockout/base/error.h"
#include "media/volume/byte_stream.h"
#include "media/volume/nifti.h"

namespace {

using namespace knockout;

const fuzz::TemporaryFolder& folder() {
  static const fuzz::TemporaryFolder folder;
  return folder;
}

/// The way of the seed to a header of its own and an image, and to two frames.
constexpr std::size_t kHeaderBytes = 348, kMagicAt = 344, kDimensionsAt = 40;

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const VoxelType type : {VoxelType::kInt16, VoxelType::kFloat32}) {
    write_nifti(fuzz::sample_volume(), folder().path("seed.nii"), type);
    std::string file = folder().read("seed.nii");
    seeds.push_back('\0' + file);
    seeds.push_back('\2' + file);
    std::string two_frames = file;
    two_frames[kDimensionsAt] = 4;
    two_frames[kDimensionsAt + 8] = 2;
    seeds.push_back('\1' + two_frames + file.substr(kHeaderBytes + 4));
    file.replace(kMagicAt, 3, "ni1");
    seeds.push_back('\4' + file);
  }
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  NiftiOptions options;
  if ((data[0] & 1) != 0) options.frame = data[0] / 64;
  std::string path;
  if ((data[0] & 4) != 0) {
    const std::string image = bytes.size() > kHeaderBytes ? bytes.substr(kHeaderBytes) : "";
    path = folder().write("fuzz.hdr", bytes.substr(0, kHeaderBytes));
    folder().write("fuzz.img", (data[0] & 2) != 0 ? compress_bytes(image, Packing::kGzip) : image);
  } else {
    if ((data[0] & 2) != 0) bytes = compress_bytes(bytes, Packing::kGzip);
    path = folder().write("fuzz.nii", bytes);
  }
  try {
    fuzz::check_volume(read_nifti(path, options), read_nifti_info(path));
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  return 0;
}
