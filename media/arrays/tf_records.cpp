// SPDX-License-Identifier: Apache-2.0
#include "media/arrays/tf_records.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/wording.h"
#include "media/arrays/crc32c.h"

namespace knockout {
namespace {

std::uint64_t little_endian_number(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes[i]);
  }
  return value;
}

/// The format keeps checksums rotated and shifted, since a checksum of bytes that hold checksums
/// says little.
std::uint32_t masked_crc(std::string_view bytes) {
  constexpr std::uint32_t kMask = 0xa282ead8;
  const std::uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + kMask;
}

}  // namespace

TfRecordReader::TfRecordReader(std::string path) : path_(std::move(path)) {
  std::error_code problem;
  size_ = std::filesystem::file_size(path_, problem);
  if (!problem) file_.open(path_, std::ios::binary);
  if (problem || !file_) {
    throw FileError(fmt::format("{}: cannot be read as a file of records.", path_));
  }
}

std::string TfRecordReader::where() const { return fmt::format("{}, record {}", path_, number_); }

void TfRecordReader::fail(const std::string& what) const {
  throw DataError(
      fmt::format("{} (from byte {}): {}.\n  Copy or download the file again, or leave it out.",
                  where(), at_, what));
}

/// REQUIRES: `count` is at most kMostRecordBytes.
std::string TfRecordReader::take(std::uint64_t count, const char* what) {
  if (count > size_ - at_) {
    fail(fmt::format("the file is cut off: {} takes {}, and {} are left", what,
                     plural(count, "byte"), size_ - at_));
  }
  std::string bytes(count, '\0');
  if (!file_.read(bytes.data(), static_cast<std::streamsize>(count))) {
    throw FileError(fmt::format("{}: reading stopped at byte {}.", path_, at_));
  }
  at_ += count;
  return bytes;
}

std::optional<TfRecord> TfRecordReader::next() {
  if (at_ == size_) return std::nullopt;
  ++number_;
  constexpr std::uint64_t kHead = 12, kLength = 8, kChecksum = 4;
  const std::string head = take(kHead, "its length with a checksum");
  const std::string_view length_bytes = std::string_view(head).substr(0, kLength);
  if (little_endian_number(std::string_view(head).substr(kLength)) != masked_crc(length_bytes)) {
    at_ -= kHead;
    if (head.starts_with("\x1f\x8b")) fail("the file is compressed: unpack it with gunzip");
    fail(number_ == 1 ? "this is no file of records (TFRecord), or its first bytes are damaged"
                      : "its length is damaged: the checksum is another");
  }
  const std::uint64_t length = little_endian_number(length_bytes);
  if (length > kMostRecordBytes) {
    fail(fmt::format("it says that it has {} bytes; at most {} are read", with_thousands(length),
                     with_thousands(kMostRecordBytes)));
  }
  TfRecord record;
  record.begin = at_;
  record.bytes = take(length, "its content");
  if (little_endian_number(take(kChecksum, "its checksum")) != masked_crc(record.bytes)) {
    fail("its content is damaged: the checksum is another");
  }
  return record;
}

}  // namespace knockout
