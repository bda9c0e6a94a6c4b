// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/model_file.h"

#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/model/finite.h"
#include "knockout/model/sealed_file.h"

namespace knockout {
namespace {

constexpr SealedFormat kFormat = {
    .name = "knockout-model",
    .version = kModelFormatVersion,
    .thing = "model",
    .origin = "A model is a file that `knockout fit` wrote.",
    .remedy = "Fit the model again, or restore the file from a copy."};
constexpr std::string_view kType = "F32";

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

Tensor tensor_of(const SafetensorsBlock& block) {
  Tensor tensor{block.shape, std::vector<float>(block.bytes.size() / sizeof(float))};
  if (!tensor.values.empty()) {
    std::memcpy(tensor.values.data(), block.bytes.data(), block.bytes.size());
  }
  return tensor;
}

}  // namespace

std::string model_file_to_bytes(const ModelFile& file) {
  SafetensorsBlocks blocks;
  for (const auto& [name, tensor] : file.tensors) {
    if (!all_finite(std::span<const float>(tensor.values))) {
      throw ModelFileError(fmt::format(
          "The model cannot be saved: \"{}\" holds numbers that are not finite.", name));
    }
    blocks[name] = {std::string(kType), tensor.shape, bytes_of(tensor.values)};
  }
  return seal(kFormat, file.document, blocks);
}

ModelFile model_file_from_bytes(std::string_view bytes, const std::string& source) {
  SealedContent content = unseal(kFormat, bytes, std::span(&kType, 1), source);
  ModelFile file;
  file.document = std::move(content.document);
  for (const auto& [name, block] : content.blocks) {
    Tensor tensor = tensor_of(block);
    if (!all_finite(std::span<const float>(tensor.values))) {
      throw ModelFileError(fmt::format(
          "{}: the model file is damaged: tensor \"{}\" holds numbers that are not finite.\n  {}",
          source, name, kFormat.remedy));
    }
    file.tensors.emplace(name, std::move(tensor));
  }
  return file;
}

}  // namespace knockout
