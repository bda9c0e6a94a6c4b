// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/checkpoint_content.h"

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/strict_json.h"

namespace knockout::nn {
namespace {

using nlohmann::json;

constexpr const char* kFormatName = "knockout-checkpoint";
constexpr int kFormatVersion = 1;

[[noreturn]] void refuse_damaged(std::string_view reason) {
  throw ModelFileError(
      fmt::format("the checkpoint is damaged: {}.\n"
                  "  Delete it to train from the start, or restore the file from a copy.",
                  reason));
}

/// Of the header's entries as they are written and of the document; the data are still to be added.
Crc32 checksum_of_header(const json& entries, const std::string& document) {
  Crc32 crc;
  crc.add(entries.dump());
  crc.add(document);
  return crc;
}

}  // namespace

std::string checkpoint_content_to_bytes(const CheckpointContent& content) {
  json document = content.document;
  document["format"] = kFormatName;
  document["format_version"] = kFormatVersion;
  const std::string text = document.dump();
  Crc32 crc = checksum_of_header(safetensors_entries(content.blocks), text);
  for (const auto& [name, block] : content.blocks) crc.add(block.bytes);
  return safetensors_to_bytes(content.blocks, {{"knockout", text}, {"checksum", crc.text()}});
}

CheckpointContent checkpoint_content_from_bytes(std::string_view bytes) {
  const SafetensorsHeader header =
      read_undamaged([&] { return read_safetensors_header(bytes); }, refuse_damaged);
  const auto document = header.metadata.find("knockout"),
             checksum = header.metadata.find("checksum");
  if (document == header.metadata.end() || checksum == header.metadata.end()) {
    refuse_damaged("it is a safetensors file of another program");
  }
  // Before anything else is believed.
  Crc32 crc = checksum_of_header(header.entries, document->second);
  crc.add(header.data);
  if (checksum->second != crc.text()) {
    refuse_damaged("its checksum does not match: some of its bytes are missing or have changed");
  }
  CheckpointContent content;
  content.document =
      read_undamaged([&] { return parse_strict_json(document->second); }, refuse_damaged);
  if (!content.document.is_object() || content.document.value("format", json()) != kFormatName) {
    refuse_damaged("it is a safetensors file of another kind");
  }
  if (whole_number(content.document.value("format_version", json())) != kFormatVersion) {
    throw ModelFileError(
        "the checkpoint was written by another version of knockout.\n"
        "  Go on with that version, or delete it to train from the start.");
  }
  content.blocks = read_undamaged([&] { return read_safetensors_blocks(header, kCheckpointTypes); },
                                  refuse_damaged);
  return content;
}

}  // namespace knockout::nn
