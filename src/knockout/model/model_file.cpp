// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/model_file.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"
#include "knockout/model/strict_json.h"

static_assert(std::endian::native == std::endian::little,
              "tensors are copied as they lie in memory, and the format is little-endian");

namespace knockout {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the safetensors format
constexpr const char* kFormatName = "knockout-model";

std::string length_bytes(std::uint64_t number) {
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &number, kLengthBytes);
  return bytes;
}

std::string_view bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// The number of elements, or nullopt for a negative side or a product beyond 64 bits.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t side : shape) {
    if (side < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(side), &count)) {
      return std::nullopt;
    }
  }
  return count;
}

/// A CRC-32 over the content, not over the file: another program may write the same tensors and
/// metadata in another order without breaking it.
std::string checksum_of(const std::map<std::string, Tensor>& tensors, const std::string& document) {
  uLong crc = crc32(0, nullptr, 0);
  const auto add = [&](std::string_view bytes) {
    if (bytes.empty()) return;  // zlib starts anew on a null pointer
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  };
  const auto add_text = [&](std::string_view text) {
    add(length_bytes(text.size()));
    add(text);
  };
  for (const auto& [name, tensor] : tensors) {
    add_text(name);
    add(length_bytes(tensor.shape.size()));
    for (const std::int64_t side : tensor.shape) add(length_bytes(side));
    add(bytes_of(tensor.values));
  }
  add_text(document);
  return fmt::format("crc32:{:08x}", crc);
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

nlohmann::json parse_header_json(std::string_view text) try {
  return parse_strict_json(text);
} catch (const ModelFileError& reason) {
  refuse_damaged(reason.what());
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

/// The JSON header, as text.
std::string_view header_of(std::string_view bytes) {
  const bool begins_like_one = bytes.size() > kLengthBytes && bytes[kLengthBytes] == '{';
  if (!begins_like_one) {
    refuse_foreign(describe_content(bytes));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    refuse_damaged(fmt::format("its header claims to have {} bytes, more than the {} allowed",
                               length, kMaxHeaderBytes));
  }
  if (length > bytes.size() - kLengthBytes) {
    refuse_damaged(fmt::format("it is cut short: its header has {} bytes, the whole file {}",
                               length, bytes.size()));
  }
  return bytes.substr(kLengthBytes, length);
}

const nlohmann::json& metadata_of(const nlohmann::json& header) {
  const auto metadata = header.find("__metadata__");
  if (metadata == header.end() || !metadata->is_object() || !metadata->contains("knockout")) {
    refuse_foreign("it is a safetensors file of another program");
  }
  for (const auto& [key, value] : metadata->items()) {
    if (!value.is_string()) refuse_damaged("its metadata hold something that is not text");
  }
  return *metadata;
}

nlohmann::json parse_document(const std::string& text) {
  nlohmann::json document = parse_header_json(text);
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

/// Where a tensor says that it is.
struct TensorEntry {
  std::string name;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

std::uint64_t read_size(const nlohmann::json& json, const std::string& name) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > kMost) {
    refuse_damaged(fmt::format("a size of tensor \"{}\" is not a whole number from 0 on", name));
  }
  return json.get<std::uint64_t>();
}

TensorEntry read_entry(const std::string& name, const nlohmann::json& json) {
  TensorEntry entry{name, {}, 0, 0};
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets") || !json["shape"].is_array() ||
      !json["data_offsets"].is_array() || json["data_offsets"].size() != 2) {
    refuse_damaged(fmt::format("tensor \"{}\" is not described as it should be", name));
  }
  if (json["dtype"] != "F32") {
    refuse_damaged(fmt::format("tensor \"{}\" holds {} where F32 was expected", name,
                               json["dtype"].dump().substr(0, 20)));
  }
  for (const nlohmann::json& side : json["shape"]) {
    entry.shape.push_back(static_cast<std::int64_t>(read_size(side, name)));
  }
  entry.begin = read_size(json["data_offsets"][0], name);
  entry.end = read_size(json["data_offsets"][1], name);
  const std::optional<std::uint64_t> count = element_count(entry.shape);
  if (entry.begin > entry.end || !count || *count > (entry.end - entry.begin) / sizeof(float) ||
      *count * sizeof(float) != entry.end - entry.begin) {
    refuse_damaged(fmt::format("the shape of tensor \"{}\" does not fit its place", name));
  }
  return entry;
}

/// The tensors, whose places must cover the data without gap or overlap.
std::map<std::string, Tensor> read_tensors(const nlohmann::json& header, std::string_view data) {
  std::vector<TensorEntry> entries;
  for (const auto& [name, json] : header.items()) {
    if (name != "__metadata__") entries.push_back(read_entry(name, json));
  }
  std::ranges::sort(entries, {}, [](const TensorEntry& e) { return std::pair(e.begin, e.end); });
  std::uint64_t covered = 0;
  for (const TensorEntry& entry : entries) {
    if (entry.begin != covered) {
      refuse_damaged(
          fmt::format("tensor \"{}\" overlaps another or leaves a gap before it", entry.name));
    }
    covered = entry.end;
  }
  if (covered != data.size()) {
    refuse_damaged(fmt::format("{}: its tensors take {} bytes, the file holds {} for them",
                               covered > data.size() ? "it is cut short" : "it is too long",
                               covered, data.size()));
  }
  std::map<std::string, Tensor> tensors;
  for (const TensorEntry& entry : entries) {
    Tensor tensor{entry.shape, std::vector<float>((entry.end - entry.begin) / sizeof(float))};
    if (!tensor.values.empty()) {
      std::memcpy(tensor.values.data(), data.data() + entry.begin, entry.end - entry.begin);
    }
    tensors.emplace(entry.name, std::move(tensor));
  }
  return tensors;
}

ModelFile parse(std::string_view bytes) {
  const std::string_view header_text = header_of(bytes);
  const nlohmann::json header = parse_header_json(header_text);
  const nlohmann::json& metadata = metadata_of(header);
  const std::string document_text = metadata["knockout"].get<std::string>();
  ModelFile file;
  file.document = parse_document(document_text);
  file.tensors = read_tensors(header, bytes.substr(kLengthBytes + header_text.size()));
  if (metadata.value("checksum", "") != checksum_of(file.tensors, document_text)) {
    refuse_damaged("its checksum does not match: some of its bytes have changed");
  }
  for (const auto& [name, tensor] : file.tensors) {
    if (!all_finite(tensor.values)) {
      refuse_damaged(fmt::format("tensor \"{}\" holds numbers that are not finite", name));
    }
  }
  return file;
}

}  // namespace

std::string model_file_to_bytes(const ModelFile& file) {
  nlohmann::json document = file.document;
  document["format"] = kFormatName;
  document["format_version"] = kModelFormatVersion;
  nlohmann::json header = nlohmann::json::object();
  std::uint64_t offset = 0;
  for (const auto& [name, tensor] : file.tensors) {
    assert(element_count(tensor.shape) == tensor.values.size() && name != "__metadata__");
    if (!all_finite(tensor.values)) {
      throw ModelFileError(fmt::format(
          "The model cannot be saved: \"{}\" holds numbers that are not finite.", name));
    }
    const std::uint64_t end = offset + tensor.values.size() * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string header_text;
  try {
    const std::string document_text = document.dump();
    if (nlohmann::json::parse(document_text) != document) {  // JSON has no NaN and no infinity
      throw ModelFileError(
          "The model cannot be saved: its description holds a number that is not finite.");
    }
    header["__metadata__"] = {{"knockout", document_text},
                              {"checksum", checksum_of(file.tensors, document_text)}};
    header_text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    throw DataError(
        "The model cannot be saved: a column name or a category is not valid UTF-8.\n"
        "  Convert the data first:  iconv -f latin1 -t utf-8 data.csv > data.utf8.csv");
  }
  header_text.resize((header_text.size() + 7) / 8 * 8, ' ');  // tensors start at a multiple of 8
  std::string bytes = length_bytes(header_text.size()) + header_text;
  for (const auto& [name, tensor] : file.tensors) bytes += bytes_of(tensor.values);
  return bytes;
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
