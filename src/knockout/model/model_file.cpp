// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/model/safetensors.h"
#include "knockout/model/strict_json.h"

namespace knockout {
namespace {

constexpr const char* kFormatName = "knockout-model";
constexpr std::string_view kType = "F32";

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// A CRC-32 over the content, not over the file: another program may write the same tensors and
/// metadata in another order without breaking it.
std::string checksum_of(const SafetensorsBlocks& blocks, const std::string& document) {
  Crc32 crc;
  const auto add_text = [&](std::string_view text) {
    crc.add(little_endian(text.size()));
    crc.add(text);
  };
  for (const auto& [name, block] : blocks) {
    add_text(name);
    crc.add(little_endian(block.shape.size()));
    for (const std::int64_t side : block.shape) crc.add(little_endian(side));
    crc.add(block.bytes);
  }
  add_text(document);
  return crc.text();
}

bool all_finite(const std::vector<float>& values) {
  return std::all_of(values.begin(), values.end(), [](float x) { return std::isfinite(x); });
}

// --- reading: the functions below say what is wrong; the caller puts the file's name before it ---

[[noreturn]] void refuse_damaged(std::string_view reason) {
  throw ModelFileError(
      fmt::format("the model file is damaged: {}.\n"
                  "  Fit the model again, or restore the file from a copy.",
                  reason));
}

[[noreturn]] void refuse_foreign(std::string_view what_it_is) {
  throw ModelFileError(
      fmt::format("not a knockout model: {}.\n"
                  "  A model is a file that `knockout fit` wrote.",
                  what_it_is));
}

template <typename Read>
auto undamaged(const Read& read) {
  return read_undamaged(read, refuse_damaged);
}

/// What a file that is no safetensors file seems to be.
std::string describe_content(std::string_view bytes) {
  if (bytes.empty()) return "it is empty";
  using namespace std::string_view_literals;
  if (bytes.starts_with("PK\x03\x04"sv)) {
    return "it is a zip archive (a PyTorch .pt, an .npz or an .xlsx file?)";
  }
  if (bytes.size() > 1 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5) {
    return "it is a Python pickle";
  }
  if (bytes.starts_with("\x1f\x8b"sv)) return "it is compressed with gzip";
  if (bytes.starts_with("\x89HDF"sv)) return "it is an HDF5 file (a Keras model?)";
  if (bytes.starts_with("\x93NUMPY"sv)) return "it is a NumPy array";
  const std::string_view start = bytes.substr(0, 1000);
  const bool is_text = std::all_of(start.begin(), start.end(), [](unsigned char c) {
    return c >= 0x20 ? c != 0x7f : (c == '\t' || c == '\n' || c == '\r');
  });
  if (is_text && (start[0] == '{' || start[0] == '[')) return "it is a JSON text";
  if (is_text) return "it is a text file (a CSV table?)";
  return "it does not begin like one";
}

nlohmann::json parse_document(const std::string& text) {
  nlohmann::json document = undamaged([&] { return parse_strict_json(text); });
  if (!document.is_object() || document.value("format", nlohmann::json()) != kFormatName) {
    refuse_foreign("it is a safetensors file of another program");
  }
  const nlohmann::json version = document.value("format_version", nlohmann::json());
  if (!version.is_number_unsigned() || version == 0) {
    refuse_damaged("it does not say which version of the format it has");
  }
  if (version > kModelFormatVersion) {
    throw ModelFileError(fmt::format(
        "the model file has version {} of the format, and this knockout reads up to {}.\n"
        "  Use a newer knockout.",
        version.dump(), kModelFormatVersion));
  }
  return document;
}

Tensor tensor_of(const SafetensorsBlock& block) {
  Tensor tensor{block.shape, std::vector<float>(block.bytes.size() / sizeof(float))};
  if (!tensor.values.empty()) {
    std::memcpy(tensor.values.data(), block.bytes.data(), block.bytes.size());
  }
  return tensor;
}

ModelFile parse(std::string_view bytes) {
  if (!begins_like_safetensors(bytes)) refuse_foreign(describe_content(bytes));
  const SafetensorsHeader header = undamaged([&] { return read_safetensors_header(bytes); });
  const auto document = header.metadata.find("knockout"),
             checksum = header.metadata.find("checksum");
  if (document == header.metadata.end()) {
    refuse_foreign("it is a safetensors file of another program");
  }
  ModelFile file;
  file.document = parse_document(document->second);
  const SafetensorsBlocks blocks =
      undamaged([&] { return read_safetensors_blocks(header, std::span(&kType, 1)); });
  if (checksum == header.metadata.end() ||
      checksum->second != checksum_of(blocks, document->second)) {
    refuse_damaged("its checksum does not match: some of its bytes have changed");
  }
  for (const auto& [name, block] : blocks) {
    Tensor tensor = tensor_of(block);
    if (!all_finite(tensor.values)) {
      refuse_damaged(fmt::format("tensor \"{}\" holds numbers that are not finite", name));
    }
    file.tensors.emplace(name, std::move(tensor));
  }
  return file;
}

}  // namespace

std::string model_file_to_bytes(const ModelFile& file) {
  nlohmann::json document = file.document;
  document["format"] = kFormatName;
  document["format_version"] = kModelFormatVersion;
  SafetensorsBlocks blocks;
  for (const auto& [name, tensor] : file.tensors) {
    if (!all_finite(tensor.values)) {
      throw ModelFileError(fmt::format(
          "The model cannot be saved: \"{}\" holds numbers that are not finite.", name));
    }
    blocks[name] = {std::string(kType), tensor.shape, bytes_of(tensor.values)};
  }
  try {
    const std::string document_text = document.dump();
    if (nlohmann::json::parse(document_text) != document) {  // JSON has no NaN and no infinity
      throw ModelFileError(
          "The model cannot be saved: its description holds a number that is not finite.");
    }
    return safetensors_to_bytes(
        blocks, {{"knockout", document_text}, {"checksum", checksum_of(blocks, document_text)}});
  } catch (const nlohmann::json::type_error&) {
    throw DataError(
        "The model cannot be saved: a column name or a category is not valid UTF-8.\n"
        "  Convert the data first:  iconv -f latin1 -t utf-8 data.csv > data.utf8.csv");
  }
}

ModelFile model_file_from_bytes(std::string_view bytes, const std::string& source) try {
  return parse(bytes);
} catch (const ModelFileError& reason) {
  throw ModelFileError(fmt::format("{}: {}", source, reason.what()));
}

void write_model_file(const ModelFile& file, const std::string& path) {
  AtomicFile output(path);
  output.write(model_file_to_bytes(file));
  output.commit();
}

ModelFile read_model_file(const std::string& path) {
  return model_file_from_bytes(read_bytes(path, "the model"), path);
}

}  // namespace knockout
