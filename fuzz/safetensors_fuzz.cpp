// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the container of model files and checkpoints: whatever the bytes, they are
// read or refused with a ModelFileError. This is all of a checkpoint's bytes that is parsed before
// its checksum is believed. Tries the bytes as a whole file, and as a header with the right length
// before it.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "knockout/base/error.h"
#include "knockout/model/safetensors.h"

namespace {

using namespace knockout;

constexpr std::array<std::string_view, 10> kTypes = {"F32", "F64", "F16", "BF16", "I64",
                                                     "I32", "I16", "I8",  "U8",   "BOOL"};

/// What is read must survive being written and read again.
void try_bytes(const std::string& bytes) {
  try {
    const SafetensorsHeader header = read_safetensors_header(bytes);
    const SafetensorsBlocks blocks = read_safetensors_blocks(header, kTypes);
    const std::string written = safetensors_to_bytes(blocks, header.metadata);
    const SafetensorsHeader header_again = read_safetensors_header(written);
    const SafetensorsBlocks again = read_safetensors_blocks(header_again, kTypes);
    if (header_again.metadata != header.metadata || again.size() != blocks.size()) std::abort();
    for (const auto& [name, block] : blocks) {
      const SafetensorsBlock& other = again.at(name);
      if (other.type != block.type || other.shape != block.shape || other.bytes != block.bytes) {
        std::abort();
      }
    }
  } catch (const ModelFileError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_bytes(bytes);
  const std::size_t cut = bytes.rfind('}') == std::string::npos ? 0 : bytes.rfind('}') + 1;
  try_bytes(little_endian(cut) + bytes);
  return 0;
}
