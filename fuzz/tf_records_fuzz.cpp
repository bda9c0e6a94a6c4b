// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for TFRecord files and the messages in them: whatever the bytes, they are read or
// refused with a DataError. The first byte says whether the rest is a message, a file, or a file
// whose checksums are put right before, without which hardly any would be read.
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/shared/memory_file.h"
#include "fuzz/shared/require.h"
#include "fuzz/shared/seeds.h"
#include "knockout/base/error.h"
#include "media/arrays/crc32c.h"
#include "media/arrays/tf_example.h"
#include "media/arrays/tf_records.h"

namespace {

using namespace knockout;

constexpr std::size_t kLength = 8, kChecksum = 4;

std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

std::string checksum_of(std::string_view bytes) {
  const std::uint32_t crc = crc32c(bytes);
  return little_endian((crc >> 15 | crc << 17) + 0xa282ead8U, kChecksum);
}

std::string record_of(const std::string& content) {
  const std::string length = little_endian(content.size(), kLength);
  return length + checksum_of(length) + content + checksum_of(content);
}

void mend_checksums(std::string& file) {
  for (std::size_t at = 0; at + kLength + kChecksum <= file.size();) {
    file.replace(at + kLength, kChecksum, checksum_of(std::string_view(file).substr(at, kLength)));
    std::uint64_t length = 0;
    for (std::size_t i = kLength; i-- > 0;) {
      length = length << 8 | static_cast<std::uint8_t>(file[at + i]);
    }
    at += kLength + kChecksum;
    if (length > file.size() - at || file.size() - at - length < kChecksum) return;
    file.replace(at + length, kChecksum, checksum_of(std::string_view(file).substr(at, length)));
    at += length + kChecksum;
  }
}

void check_example(std::string_view bytes) {
  const TfExample example = parse_tf_example(bytes, "fuzz");
  std::size_t values = 0;
  for (const auto& [name, feature] : example) {
    values += name.size() + std::visit([](const auto& list) { return list.size(); }, feature);
    if (const auto* parts = std::get_if<std::vector<std::string_view>>(&feature)) {
      for (const std::string_view part : *parts) {
        fuzz::require(part.empty() || (part.data() >= bytes.data() &&
                                       part.data() + part.size() <= bytes.data() + bytes.size()),
                      "bytes are within the message");
      }
    }
  }
  fuzz::require(values <= bytes.size(), "each value takes a byte at least");
}

}  // namespace

std::vector<std::string> fuzz::seeds() {
  // A name with a list of each kind: bytes, floats, whole numbers packed and one by one.
  const std::string bytes(
      "\x0a\x0f\x0a\x06"
      "aerial"
      "\x12\x05\x0a\x03\x0a\x01"
      "p",
      17);
  const std::string floats(
      "\x0a\x0d\x0a\x01"
      "f"
      "\x12\x08\x12\x06\x0a\x04\0\0\xc0\x3f",
      15);
  const std::string packed(
      "\x0a\x0b\x0a\x01"
      "k"
      "\x12\x06\x1a\x04\x0a\x02\x05\x06",
      13);
  const std::string single(
      "\x0a\x0b\x0a\x01"
      "k"
      "\x12\x06\x1a\x04\x08\x05\x08\x06",
      13);
  const std::string features = bytes + floats + packed + single;
  const std::string message = std::string("\x0a") + static_cast<char>(features.size()) + features;
  return {'\0' + message, '\1' + record_of(message) + record_of(""),
          '\2' + record_of(message) + record_of(message).substr(0, 40)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  if (size < 1) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    if (data[0] % 3 == 0) {
      check_example(bytes);
      return 0;
    }
    if (data[0] % 3 == 2) mend_checksums(bytes);
    TfRecordReader reader(file.write(bytes));
    std::uint64_t end = 0;
    while (const std::optional<TfRecord> record = reader.next()) {
      fuzz::require(record->begin == end + kLength + kChecksum, "records follow each other");
      end = record->begin + record->bytes.size() + kChecksum;
      fuzz::require(end <= bytes.size(), "records are within the file");
      try {
        check_example(record->bytes);
      } catch (const DataError&) {
      }
    }
    fuzz::require(end == bytes.size(), "nothing is passed over");
  } catch (const DataError&) {
  }
  return 0;
}
