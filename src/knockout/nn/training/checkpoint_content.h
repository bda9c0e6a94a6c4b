// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "knockout/model/safetensors.h"

// LibTorch-free on purpose: a fuzzer reads it, and its compiler does not read LibTorch's headers.
namespace knockout::nn {

/// The types that safetensors and LibTorch share.
inline constexpr std::array<std::string_view, 10> kCheckpointTypes = {
    "F32", "F64", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL"};

/// What the file of a Checkpoint holds, before its tensors are LibTorch's.
struct CheckpointContent {
  nlohmann::json document = nlohmann::json::object();
  SafetensorsBlocks blocks;  ///< Of kCheckpointTypes.
};

/// Adds the format and its version to the document, and a checksum. Same content, same bytes.
std::string checkpoint_content_to_bytes(const CheckpointContent& content);

/// Back again; the blocks are parts of `bytes`. Throws ModelFileError, without the file's name, for
/// bytes that are damaged, cut short or of another kind.
CheckpointContent checkpoint_content_from_bytes(std::string_view bytes);

}  // namespace knockout::nn
