// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace knockout {

/// A named block of float32 numbers.
struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// A model file: tensors and one JSON document, in safetensors format. docs/model_format.md
/// specifies the bytes. Nothing in it is executed; every size is checked against the file before
/// anything is allocated.
struct ModelFile {
  std::map<std::string, Tensor> tensors;
  nlohmann::json document;  ///< Schema, scaling, placeholders, recipe, provenance.
};

/// The newest format this build writes and reads; older ones load forever.
inline constexpr int kModelFormatVersion = 1;

/// Writes to a temporary file and renames it: a failure leaves the previous file whole (FileError).
/// Same content, same bytes.
void write_model_file(const ModelFile& file, const std::string& path);

/// Throws ModelFileError with the reason for a file that is damaged, truncated, hostile, newer, or
/// no model at all; FileError if unreadable.
ModelFile read_model_file(const std::string& path);

}  // namespace knockout
