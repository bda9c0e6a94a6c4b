// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "knockout/model/safetensors.h"

namespace knockout {

/// A kind of file that holds a JSON document and tensors under a checksum: a model, an imputer.
struct SealedFormat {
  std::string_view name;    ///< In the document: "knockout-model".
  int version;              ///< The newest that this build writes and reads.
  std::string_view thing;   ///< In messages: "model".
  std::string_view origin;  ///< A sentence: what writes such a file.
  std::string_view remedy;  ///< A sentence: what helps when one is damaged.
};

struct SealedContent {
  nlohmann::json document;  ///< An object with "format" and "format_version".
  SafetensorsBlocks blocks;
};

/// The bytes of a file. Adds "format" and "format_version" to the document. Same content, same
/// bytes. Throws ConfigError for a document that is no object, ModelFileError for one that holds a
/// number that is not finite, and DataError for names that are not UTF-8.
std::string seal(const SealedFormat& format, nlohmann::json document,
                 const SafetensorsBlocks& blocks);

/// Back again; the blocks are parts of `bytes`, of one of `types`. Nothing is allocated by a size
/// that the bytes claim. Throws ModelFileError with the reason for bytes that are damaged,
/// truncated, hostile, newer, or something else; `source` names them.
SealedContent unseal(const SealedFormat& format, std::string_view bytes,
                     std::span<const std::string_view> types, const std::string& source);

}  // namespace knockout
