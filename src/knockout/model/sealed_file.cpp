// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/sealed_file.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/strict_json.h"

namespace knockout {
namespace {

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

/// Reads one file of a format; the caller puts the file's name before what is wrong.
class Unsealing {
 public:
  explicit Unsealing(const SealedFormat& format) : format_(format) {}

  SealedContent run(std::string_view bytes, std::span<const std::string_view> types) const {
    if (!begins_like_safetensors(bytes)) refuse_foreign(describe_content(bytes));
    const SafetensorsHeader header = undamaged([&] { return read_safetensors_header(bytes); });
    const auto document = header.metadata.find("knockout"),
               checksum = header.metadata.find("checksum");
    if (document == header.metadata.end()) {
      refuse_foreign("it is a safetensors file of another program");
    }
    SealedContent content;
    content.document = parse_document(document->second);
    content.blocks = undamaged([&] { return read_safetensors_blocks(header, types); });
    if (checksum == header.metadata.end() ||
        checksum->second != checksum_of(content.blocks, document->second)) {
      refuse_damaged("its checksum does not match: some of its bytes have changed");
    }
    return content;
  }

 private:
  [[noreturn]] void refuse_damaged(std::string_view reason) const {
    throw ModelFileError(
        fmt::format("the {} file is damaged: {}.\n  {}", format_.thing, reason, format_.remedy));
  }
  [[noreturn]] void refuse_foreign(std::string_view what_it_is) const {
    throw ModelFileError(
        fmt::format("not a knockout {}: {}.\n  {}", format_.thing, what_it_is, format_.origin));
  }

  template <typename Read>
  auto undamaged(const Read& read) const -> decltype(read()) {
    return read_undamaged(read, [this](std::string_view reason) { refuse_damaged(reason); });
  }

  nlohmann::json parse_document(const std::string& text) const {
    nlohmann::json document = undamaged([&] { return parse_strict_json(text); });
    const nlohmann::json name =
        document.is_object() ? document.value("format", nlohmann::json()) : nlohmann::json();
    if (name != format_.name) {
      const bool ours = name.is_string() && name.get<std::string>().starts_with("knockout-");
      refuse_foreign(ours ? fmt::format("it is a {} file", name.get<std::string>())
                          : "it is a safetensors file of another program");
    }
    const auto version = whole_number(document.value("format_version", nlohmann::json()), 1);
    if (!version) refuse_damaged("it does not say which version of the format it has");
    if (*version > format_.version) {
      throw ModelFileError(fmt::format(
          "the {} file has version {} of the format, and this knockout reads up to {}.\n"
          "  Use a newer knockout.",
          format_.thing, *version, format_.version));
    }
    return document;
  }

  const SealedFormat& format_;
};

}  // namespace

std::string seal(const SealedFormat& format, nlohmann::json document,
                 const SafetensorsBlocks& blocks) {
  if (!document.is_object()) {
    throw ConfigError(
        fmt::format("The {} cannot be saved: its description is not a JSON object.", format.thing));
  }
  document["format"] = format.name;
  document["format_version"] = format.version;
  try {
    const std::string document_text = document.dump();
    // What could not be read back must not be written: better to hear of it now.
    const nlohmann::json again = read_undamaged(
        [&] { return parse_strict_json(document_text); },
        [&](std::string_view reason) {
          throw ModelFileError(fmt::format("The {} cannot be saved: {}.", format.thing, reason));
        });
    if (again != document) {  // JSON has no NaN and no infinity
      throw ModelFileError(
          fmt::format("The {} cannot be saved: its description holds a number that is not finite.",
                      format.thing));
    }
    return safetensors_to_bytes(
        blocks, {{"knockout", document_text}, {"checksum", checksum_of(blocks, document_text)}});
  } catch (const nlohmann::json::type_error&) {
    throw DataError(
        fmt::format("The {} cannot be saved: a column name or a category is not valid UTF-8.\n"
                    "  Convert the data first:  iconv -f latin1 -t utf-8 data.csv > data.utf8.csv",
                    format.thing));
  }
}

SealedContent unseal(const SealedFormat& format, std::string_view bytes,
                     std::span<const std::string_view> types, const std::string& source) try {
  return Unsealing(format).run(bytes, types);
} catch (const ModelFileError& reason) {
  throw ModelFileError(fmt::format("{}: {}", source, reason.what()));
}

}  // namespace knockout
