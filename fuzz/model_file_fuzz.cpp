// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the model file reader: whatever the bytes, they load or are refused with a
// ModelFileError. Tries the bytes as a whole file, as a header with the right length before it, and
// as the document of an otherwise sound file.
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc fuzz/model_file_fuzz.cpp
//     src/knockout/model/model_file.cpp src/knockout/model/safetensors.cpp
//     src/knockout/model/strict_json.cpp
//     src/knockout/base/atomic_file.cpp src/knockout/base/error.cpp -lfmt -lz -o model_file_fuzz
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "knockout/base/error.h"
#include "knockout/model/model_file.h"

namespace {

/// What loads must survive being written and read again.
void try_bytes(const std::string& bytes) {
  try {
    const knockout::ModelFile file = knockout::model_file_from_bytes(bytes, "fuzz");
    const std::string written = knockout::model_file_to_bytes(file);
    const knockout::ModelFile again = knockout::model_file_from_bytes(written, "fuzz");
    if (again.document != file.document || again.tensors.size() != file.tensors.size()) {
      std::abort();
    }
  } catch (const knockout::ModelFileError&) {
  }
}

std::string with_length(const std::string& header, const std::string& data) {
  const std::uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + header + data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  try_bytes(bytes);
  const std::size_t cut = bytes.rfind('}') == std::string::npos ? 0 : bytes.rfind('}') + 1;
  try_bytes(with_length(bytes.substr(0, cut), bytes.substr(cut)));
  try {
    knockout::ModelFile file;
    file.document = {{"text", bytes}};
    file.tensors["t"] = {{static_cast<std::int64_t>(size % 7)}, std::vector<float>(size % 7)};
    std::string sound = knockout::model_file_to_bytes(file);
    if (size > 4) sound[data[0] * sound.size() / 256] ^= static_cast<char>(data[1]);
    try_bytes(sound);
  } catch (const knockout::DataError&) {  // not UTF-8
  }
  return 0;
}
