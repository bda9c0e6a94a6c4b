// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for MetaImage volumes: whatever the bytes, they are read or refused with a
// DataError or, where the header names a file that is not there, a FileError. The first byte says
// whether what follows the header is compressed before.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/check_volume.h"
#include "fuzz/shared/seeds.h"
#include "fuzz/shared/temporary_folder.h"
#include "knockout/base/error.h"
#include "media/volume/byte_stream.h"
#include "media/volume/meta_image.h"

namespace {

using namespace knockout;

const fuzz::TemporaryFolder& folder() {
  static const fuzz::TemporaryFolder folder;
  return folder;
}

constexpr std::string_view kEndOfHeader = "ElementDataFile = LOCAL\n";

}  // namespace

std::vector<std::string> fuzz::seeds() {
  std::vector<std::string> seeds;
  for (const VoxelType type : {VoxelType::kInt16, VoxelType::kFloat64}) {
    write_meta_image(fuzz::sample_volume(), folder().path("seed.mha"), type, false);
    std::string file = folder().read("seed.mha");
    seeds.push_back('\0' + file);
    const std::string plain = "CompressedData = False";
    file.replace(file.find(plain), plain.size(), "CompressedData = True");
    seeds.push_back('\1' + file);
  }
  seeds.emplace_back(
      "\0NDims = 2\nDimSize = 2 1\nElementType = MET_UCHAR\nHeaderSize = -1\n"
      "ElementDataFile = fuzz.mha\n12",
      90);
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t end = bytes.find(kEndOfHeader);
  if ((data[0] & 1) != 0 && end != std::string::npos) {
    const std::size_t body = end + kEndOfHeader.size();
    bytes = bytes.substr(0, body) + compress_bytes(bytes.substr(body), Packing::kZlib);
  }
  const std::string path = folder().write("fuzz.mha", bytes);
  try {
    fuzz::check_volume(read_meta_image(path), read_meta_image_info(path));
  } catch (const DataError&) {
  } catch (const FileError&) {
  }
  return 0;
}
