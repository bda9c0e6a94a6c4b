// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the container of model files and checkpoints: whatever the bytes, they are
// read or refused with a ModelFileError. This is all that is parsed before a checksum is believed;
// model_fuzz, imputer_fuzz and checkpoint_fuzz look at what comes after it. Tries the bytes as a
// whole file, as a header with the right length before it, and as damage to a sound model file.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/forged_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "knockout/model/model_file.h"
#include "knockout/model/safetensors.h"

namespace {

using namespace knockout;

bool has_same_blocks(const SafetensorsBlocks& a, const SafetensorsBlocks& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.type == y.second.type &&
           x.second.shape == y.second.shape && x.second.bytes == y.second.bytes;
  });
}

/// What is read must survive being written and read again.
void try_container(const std::string& bytes) {
  try {
    const SafetensorsHeader header = read_safetensors_header(bytes);
    const SafetensorsBlocks blocks = read_safetensors_blocks(header, fuzz::kTensorTypes);
    const std::string written = safetensors_to_bytes(blocks, header.metadata);
    const SafetensorsHeader again = read_safetensors_header(written);
    fuzz::require(again.metadata == header.metadata, "the metadata survive");
    fuzz::require(has_same_blocks(read_safetensors_blocks(again, fuzz::kTensorTypes), blocks),
                  "the tensors survive");
  } catch (const ModelFileError&) {
  }
}

void try_model_file(const std::string& bytes) {
  try {
    const ModelFile file = model_file_from_bytes(bytes, "fuzz");
    const ModelFile again = model_file_from_bytes(model_file_to_bytes(file), "fuzz");
    fuzz::require(again.document == file.document && again.tensors.size() == file.tensors.size(),
                  "a model file survives");
  } catch (const ModelFileError&) {
  }
}

std::string sample_file() {
  ModelFile file;
  file.document = {{"text", "some"}};
  file.tensors["t"] = {{2, 3}, std::vector<float>(6, 0.5F)};
  return model_file_to_bytes(file);
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  return {
      sample_file(), R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}1234)",
      R"({"__metadata__":{"k":"v"},"b":{"dtype":"I64","shape":[],"data_offsets":[0,8]}}12345678)"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_container(bytes);
  try_model_file(bytes);
  const std::size_t cut = bytes.rfind('}') == std::string::npos ? 0 : bytes.rfind('}') + 1;
  try_container(little_endian(cut) + bytes);
  if (size > 2) {
    std::string damaged = sample_file();
    damaged[(data[0] + 256 * data[1]) % damaged.size()] ^= static_cast<char>(data[2]);
    try_model_file(damaged);
  }
  return 0;
}
