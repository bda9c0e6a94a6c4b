// SPDX-License-Identifier: Apache-2.0
// A sound file of the kind that holds a JSON document and tensors, changed as an enemy would: here
// and there, and under a right checksum. Bytes alone would never get past the checksum.
#pragma once

#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/shared/byte_source.h"
#include "knockout/model/safetensors.h"

namespace knockout::fuzz {

struct ForgedTensor {
  std::string type;
  std::vector<std::int64_t> shape;
  std::string bytes;
};

struct ForgedFile {
  nlohmann::json document;
  std::map<std::string, ForgedTensor> tensors;
};

inline constexpr std::array<std::string_view, 10> kTensorTypes = {
    "F32", "F64", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL"};

inline std::size_t bytes_of_type(std::string_view type) {
  if (type.ends_with("64")) return 8;
  if (type.ends_with("32")) return 4;
  return type.ends_with("16") ? 2 : 1;
}

/// REQUIRES: a sound file.
inline ForgedFile take_apart(std::string_view bytes) {
  const SafetensorsHeader header = read_safetensors_header(bytes);
  ForgedFile file{nlohmann::json::parse(header.metadata.at("knockout")), {}};
  for (const auto& [name, block] : read_safetensors_blocks(header, kTensorTypes)) {
    file.tensors[name] = {block.type, block.shape, std::string(block.bytes)};
  }
  return file;
}

/// Every value in a document, itself first.
inline void collect_values(nlohmann::json& value, std::vector<nlohmann::json*>& values) {
  values.push_back(&value);
  if (!value.is_structured()) return;
  for (nlohmann::json& child : value) collect_values(child, values);
}

/// Stands for a number that no JSON value in memory can hold, until document_text() writes it.
inline constexpr std::string_view kTooLarge = "@1e999@";

inline nlohmann::json odd_number(ByteSource& decisions) {
  const std::array<nlohmann::json, 24> numbers = {0,
                                                  1,
                                                  -1,
                                                  2,
                                                  3,
                                                  0.5,
                                                  -0.0,
                                                  1e-300,
                                                  1e9,
                                                  1e19,
                                                  1e30,
                                                  1e38,
                                                  -1e38,
                                                  3.5e38,
                                                  1e300,
                                                  -1e300,
                                                  65536,
                                                  std::numeric_limits<std::int32_t>::max(),
                                                  std::numeric_limits<std::int32_t>::min(),
                                                  4294967296,
                                                  std::numeric_limits<std::int64_t>::max(),
                                                  std::numeric_limits<std::int64_t>::min(),
                                                  std::numeric_limits<std::uint64_t>::max(),
                                                  kTooLarge};
  return numbers[decisions.choice(numbers.size())];
}

/// Changes one value of a document.
inline void change_document(nlohmann::json& document, ByteSource& decisions) {
  using nlohmann::json;
  std::vector<json*> values;
  collect_values(document, values);
  json& value = *values[decisions.choice(values.size())];
  switch (decisions.choice(12)) {
    case 0:
      value = nullptr;
      break;
    case 1:
      value = odd_number(decisions);
      break;
    case 2:
      value = std::string(decisions.text(decisions.choice(8)));
      break;
    case 3:
      value = json::array();
      break;
    case 4:
      value = json::object();
      break;
    case 5:
      value = (decisions.byte() & 1) != 0;
      break;
    case 6:
      value = json(*values[decisions.choice(values.size())]);
      break;
    case 7:  // a part goes
      if (value.is_structured() && !value.empty()) {
        auto part = value.begin();
        std::advance(part, decisions.choice(value.size()));
        value.erase(part);
      }
      break;
    case 8:  // a part comes
      if (value.is_array()) value.push_back(*values[decisions.choice(values.size())]);
      if (value.is_object()) value[std::string(decisions.text(2))] = odd_number(decisions);
      break;
    case 9:  // a number is off
      if (value.is_number_float()) {
        value = value.get<double>() * (decisions.byte() - 128.0);
      } else if (value.is_number()) {  // without a sign, since sums with one must not overflow
        const auto sum = value.get<std::uint64_t>() + decisions.byte() - 128;
        value = static_cast<std::int64_t>(sum);
      }
      break;
    case 10:  // two parts change places
      if (value.is_array() && value.size() > 1) {
        std::swap(value[decisions.choice(value.size())], value[decisions.choice(value.size())]);
      }
      break;
    case 11: {
      const int depth = decisions.byte();
      for (int i = 0; i < depth; ++i) value = json::array({std::move(value)});
      break;
    }
  }
}

inline float odd_float(ByteSource& decisions) {
  using Limits = std::numeric_limits<float>;
  constexpr std::array<float, 8> kFloats = {Limits::quiet_NaN(),
                                            Limits::infinity(),
                                            -Limits::infinity(),
                                            Limits::max(),
                                            -Limits::max(),
                                            Limits::denorm_min(),
                                            0.0F,
                                            1e20F};
  return kFloats[decisions.choice(kFloats.size())];
}

/// Changes one tensor; its bytes always are as many as its type and shape say, without which the
/// container is not read at all (safetensors_fuzz looks at that).
inline void change_tensors(std::map<std::string, ForgedTensor>& tensors, ByteSource& decisions) {
  if (tensors.empty()) return;
  auto found = tensors.begin();
  std::advance(found, decisions.choice(tensors.size()));
  ForgedTensor& tensor = found->second;
  const auto write = [&](std::size_t place, float value) {
    if (place * 4 + 4 <= tensor.bytes.size()) std::memcpy(&tensor.bytes[place * 4], &value, 4);
  };
  const std::size_t count = tensor.bytes.size() / 4;
  switch (decisions.choice(6)) {
    case 0:
      tensors.erase(found);
      break;
    case 1:
      write(decisions.choice(count + 1), odd_float(decisions));
      break;
    case 2: {
      const float value = odd_float(decisions);
      for (std::size_t i = 0; i < count; ++i) write(i, value);
      break;
    }
    case 3:  // another shape of as many numbers
      if (tensor.shape.size() > 1) {
        std::swap(tensor.shape.front(), tensor.shape.back());
      } else {
        tensor.shape.push_back(1);
      }
      break;
    case 4: {  // more or fewer numbers
      const auto size = static_cast<std::int64_t>(decisions.byte());
      tensor.shape = {size};
      tensor.bytes.resize(static_cast<std::size_t>(size) * bytes_of_type(tensor.type));
      break;
    }
    case 5: {
      auto moved = tensors.extract(found);
      moved.key() += static_cast<char>('a' + decisions.choice(26));
      tensors.insert(std::move(moved));
      break;
    }
  }
}

/// A few changes to document and tensors, as the bytes say.
inline void forge(ForgedFile& file, ByteSource& decisions) {
  for (int i = 0; i < 8 && !decisions.is_empty(); ++i) {
    if (decisions.choice(4) == 3) {
      change_tensors(file.tensors, decisions);
    } else {
      change_document(file.document, decisions);
    }
  }
}

/// Bytes that are not UTF-8 are replaced: JSON cannot hold them.
inline std::string document_text(const nlohmann::json& document) {
  std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string mark = nlohmann::json(kTooLarge).dump();
  for (std::size_t at; (at = text.find(mark)) != std::string::npos;) {
    text.replace(at, mark.size(), "1e999");
  }
  return text;
}

inline SafetensorsBlocks blocks_of(const ForgedFile& file) {
  SafetensorsBlocks blocks;
  for (const auto& [name, tensor] : file.tensors) {
    blocks[name] = {tensor.type, tensor.shape, tensor.bytes};
  }
  return blocks;
}

/// The checksum of models and imputers, written once more after docs/model_format.md.
inline std::string sealed_checksum(const SafetensorsBlocks& blocks, std::string_view document) {
  Crc32 crc;
  for (const auto& [name, block] : blocks) {
    crc.add(little_endian(name.size()));
    crc.add(name);
    crc.add(little_endian(block.shape.size()));
    for (const std::int64_t side : block.shape) crc.add(little_endian(side));
    crc.add(block.bytes);
  }
  crc.add(little_endian(document.size()));
  crc.add(document);
  return crc.text();
}

/// The bytes of a model, an imputer or a checkpoint of the native engine.
inline std::string sealed_bytes(const ForgedFile& file) {
  const std::string document = document_text(file.document);
  const SafetensorsBlocks blocks = blocks_of(file);
  return safetensors_to_bytes(
      blocks, {{"knockout", document}, {"checksum", sealed_checksum(blocks, document)}});
}

}  // namespace knockout::fuzz
