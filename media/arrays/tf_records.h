// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace knockout {

/// Larger records are refused before memory is taken for them.
inline constexpr std::uint64_t kMostRecordBytes = std::uint64_t{64} << 20;

/// One record of a file.
struct TfRecord {
  std::string bytes;
  std::uint64_t begin = 0;  ///< Where in the file its bytes begin.
};

/// Reads a TFRecord file: for each record its length (64 bits, little-endian), the masked CRC-32C
/// of the length, the bytes, and their masked CRC-32C. Both checksums are checked. One record is in
/// memory at a time. Not safe from several threads at once.
///   TfRecordReader records("tfrecords/columbus/train-00000-of-00025");
///   while (const std::optional<TfRecord> record = records.next()) use(record->bytes);
class TfRecordReader {
 public:
  /// Throws FileError when the file cannot be opened.
  explicit TfRecordReader(std::string path);

  /// The next record, or none at the end of the file. Throws DataError that names file, record and
  /// byte where the file is cut off, damaged or something else.
  std::optional<TfRecord> next();

  /// "FILE, record 17": the last one that next() gave; from 1.
  std::string where() const;

 private:
  std::string take(std::uint64_t count, const char* what);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::ifstream file_;
  std::uint64_t size_ = 0, at_ = 0, number_ = 0;
};

}  // namespace knockout
