// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace knockout {

/// A named block of float32 numbers.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  ///< Row-major, as many as the shape's product.
};

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

/// Writes to a temporary file and renames it: a failure leaves the previous file whole (FileError).
/// Same content, same bytes. Throws ModelFileError for numbers that are not finite and DataError
/// for names that are not UTF-8: such a model could not be read back.
void write_model_file(const ModelFile& file, const std::string& path);

/// Throws ModelFileError with the reason for a file that is damaged, truncated, hostile, newer, or
/// no model at all; FileError if unreadable.
ModelFile read_model_file(const std::string& path);

/// The same in memory; `source` names the bytes in messages.
std::string model_file_to_bytes(const ModelFile& file);
ModelFile model_file_from_bytes(std::string_view bytes, const std::string& source);

}  // namespace knockout
