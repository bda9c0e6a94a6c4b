// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "knockout/model/tensor.h"

namespace knockout {

/// A model file: tensors and one JSON document, in safetensors format. docs/model_format.md
/// specifies the bytes. Nothing in it is executed; every size is checked against the file before
/// anything is allocated.
struct ModelFile {
  std::map<std::string, Tensor> tensors;
  /// Schema, scaling, placeholders, recipe, provenance: an object. Writing adds "format" and
  /// "format_version" to it.
  nlohmann::json document;
};

/// The newest format this build writes and reads; older ones load forever.
inline constexpr int kModelFormatVersion = 2;

/// Same content, same bytes. Throws ModelFileError for numbers that are not finite and DataError
/// for names that are not UTF-8: such a model could not be read back.
std::string model_file_to_bytes(const ModelFile& file);

/// Throws ModelFileError with the reason for bytes that are damaged, truncated, hostile, newer, or
/// no model at all; `source` names them in messages.
ModelFile model_file_from_bytes(std::string_view bytes, const std::string& source);

}  // namespace knockout
