// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/safetensors.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/strict_json.h"

static_assert(std::endian::native == std::endian::little,
              "tensors are copied as they lie in memory, and the format is little-endian");

namespace knockout {
namespace {

using nlohmann::json;

constexpr std::size_t kLengthBytes = 8;
constexpr const char* kMetadata = "__metadata__";

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 10> kTypeBytes = {{
    {"F64", 8},
    {"F32", 4},
    {"F16", 2},
    {"BF16", 2},
    {"I64", 8},
    {"I32", 4},
    {"I16", 2},
    {"I8", 1},
    {"U8", 1},
    {"BOOL", 1},
}};

[[noreturn]] void refuse(const std::string& reason) { throw ModelFileError(reason); }

/// The bytes of a tensor, or nullopt for an unknown type, a negative side or a product beyond 63
/// bits. A side of 0 counts as 1 there: whoever computes strides multiplies the others all the
/// same.
std::optional<std::uint64_t> bytes_of(std::string_view type,
                                      const std::vector<std::int64_t>& shape) {
  const auto* const known =
      std::ranges::find_if(kTypeBytes, [&](const auto& item) { return item.first == type; });
  if (known == kTypeBytes.end()) return std::nullopt;
  auto room = static_cast<std::int64_t>(known->second);
  for (const std::int64_t side : shape) {
    if (side < 0 || __builtin_mul_overflow(room, std::max<std::int64_t>(side, 1), &room)) {
      return std::nullopt;
    }
  }
  const bool is_empty = std::ranges::find(shape, 0) != shape.end();
  return is_empty ? 0 : static_cast<std::uint64_t>(room);
}

std::uint64_t read_size(const json& json, const std::string& name) {
  const std::optional<std::int64_t> size = whole_number(json);
  if (!size) refuse(fmt::format("a size of tensor \"{}\" is not a whole number from 0 on", name));
  return static_cast<std::uint64_t>(*size);
}

/// Where a tensor says that it is.
struct Entry {
  std::string name, type;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

Entry read_entry(const std::string& name, const json& json,
                 std::span<const std::string_view> types) {
  if (!json.is_object() || json.size() != 3 || !json.contains("dtype") || !json.contains("shape") ||
      !json.contains("data_offsets") || !json["shape"].is_array() ||
      !json["data_offsets"].is_array() || json["data_offsets"].size() != 2) {
    refuse(fmt::format("tensor \"{}\" is not described as it should be", name));
  }
  Entry entry{name, json["dtype"].is_string() ? json["dtype"].get<std::string>() : "", {}, 0, 0};
  if (std::ranges::find(types, entry.type) == types.end()) {
    refuse(fmt::format("tensor \"{}\" holds {} where {} was expected", name,
                       json["dtype"].dump().substr(0, 20), fmt::join(types, " or ")));
  }
  for (const auto& side : json["shape"]) {
    entry.shape.push_back(static_cast<std::int64_t>(read_size(side, name)));
  }
  entry.begin = read_size(json["data_offsets"][0], name);
  entry.end = read_size(json["data_offsets"][1], name);
  if (entry.begin > entry.end || bytes_of(entry.type, entry.shape) != entry.end - entry.begin) {
    refuse(fmt::format("the shape of tensor \"{}\" does not fit its place", name));
  }
  return entry;
}

/// The JSON header, as text.
std::string_view header_text_of(std::string_view bytes) {
  if (!begins_like_safetensors(bytes)) refuse("it is cut short or no safetensors file at all");
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeaderBytes) {
    refuse(fmt::format("its header claims to have {} bytes, more than the {} allowed", length,
                       kMaxHeaderBytes));
  }
  if (length > bytes.size() - kLengthBytes) {
    refuse(fmt::format("it is cut short: its header has {} bytes, the whole file {}", length,
                       bytes.size()));
  }
  return bytes.substr(kLengthBytes, length);
}

}  // namespace

bool begins_like_safetensors(std::string_view bytes) {
  return bytes.size() > kLengthBytes && bytes[kLengthBytes] == '{';
}

SafetensorsHeader read_safetensors_header(std::string_view bytes) {
  const std::string_view text = header_text_of(bytes);
  SafetensorsHeader header{parse_strict_json(text), {}, bytes.substr(kLengthBytes + text.size())};
  const auto metadata = header.entries.find(kMetadata);
  if (metadata == header.entries.end()) return header;
  if (!metadata->is_object()) refuse("its metadata are no object");
  for (const auto& [key, value] : metadata->items()) {
    if (!value.is_string()) refuse("its metadata hold something that is not text");
    header.metadata.emplace(key, value.get<std::string>());
  }
  header.entries.erase(metadata);
  return header;
}

SafetensorsBlocks read_safetensors_blocks(const SafetensorsHeader& header,
                                          std::span<const std::string_view> types) {
  std::vector<Entry> entries;
  for (const auto& [name, json] : header.entries.items()) {
    entries.push_back(read_entry(name, json, types));
  }
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  std::uint64_t covered = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != covered) {
      refuse(fmt::format("tensor \"{}\" overlaps another or leaves a gap before it", entry.name));
    }
    covered = entry.end;
  }
  if (covered != header.data.size()) {
    refuse(fmt::format("{}: its tensors take {} bytes, the file holds {} for them",
                       covered > header.data.size() ? "it is cut short" : "it is too long", covered,
                       header.data.size()));
  }
  SafetensorsBlocks blocks;
  for (Entry& entry : entries) {
    blocks.emplace(std::move(entry.name),
                   SafetensorsBlock{std::move(entry.type), std::move(entry.shape),
                                    header.data.substr(entry.begin, entry.end - entry.begin)});
  }
  return blocks;
}

nlohmann::json safetensors_entries(const SafetensorsBlocks& blocks) {
  json entries = json::object();
  std::uint64_t offset = 0;
  for (const auto& [name, block] : blocks) {
    if (name == kMetadata) {
      throw ConfigError(fmt::format("a tensor cannot be called \"{}\".", name));
    }
    if (bytes_of(block.type, block.shape) != block.bytes.size()) {
      throw ConfigError(
          fmt::format("the tensor \"{}\" has {} bytes, which is not what its type {} "
                      "and its shape say.",
                      name, block.bytes.size(), block.type));
    }
    const std::uint64_t end = offset + block.bytes.size();
    entries[name] = {
        {"dtype", block.type}, {"shape", block.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  return entries;
}

std::string safetensors_to_bytes(const SafetensorsBlocks& blocks,
                                 const std::map<std::string, std::string>& metadata) {
  json header = safetensors_entries(blocks);
  header[kMetadata] = metadata;
  std::string header_text = header.dump();
  header_text.resize((header_text.size() + 7) / 8 * 8, ' ');  // tensors start at a multiple of 8
  if (header_text.size() > kMaxHeaderBytes) {
    refuse(fmt::format("the header would have {} bytes, more than the {} that can be read back",
                       header_text.size(), kMaxHeaderBytes));
  }
  std::size_t size = kLengthBytes + header_text.size();
  for (const auto& [name, block] : blocks) size += block.bytes.size();
  std::string bytes;
  bytes.reserve(size);
  bytes += little_endian(header_text.size());
  bytes += header_text;
  for (const auto& [name, block] : blocks) bytes += block.bytes;
  return bytes;
}

void Crc32::add(std::string_view bytes) {
  if (bytes.empty()) return;  // zlib starts anew on a null pointer
  value_ = crc32_z(value_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::string Crc32::text() const { return fmt::format("crc32:{:08x}", value_); }

std::string little_endian(std::uint64_t number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

}  // namespace knockout
