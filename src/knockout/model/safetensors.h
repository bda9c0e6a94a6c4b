// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"

namespace knockout {

// The container that model files and checkpoints share: 8 bytes of length, a JSON header, then the
// numbers of all tensors without a gap. What metadata and tensors mean is up to the caller, and so
// is a checksum. Bytes that are read may come from anywhere: nothing is allocated by a size they
// claim, and every function that reads throws ModelFileError with the reason (in the middle of a
// sentence, without the file's name) for what is damaged.

inline constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  ///< The limit of the format.

/// A tensor as it lies in a file.
struct SafetensorsBlock {
  std::string type;                 ///< As the format names it: "F32", "I64", "BOOL", ...
  std::vector<std::int64_t> shape;  ///< Row-major.
  std::string_view bytes;           ///< Of somebody else.
};
using SafetensorsBlocks = std::map<std::string, SafetensorsBlock>;

/// What a file says before its numbers.
struct SafetensorsHeader {
  nlohmann::json entries;  ///< What it says of each tensor, not yet checked.
  std::map<std::string, std::string> metadata;
  std::string_view data;  ///< Of all tensors.
};

/// Whether bytes could be a safetensors file, or the beginning of one.
bool begins_like_safetensors(std::string_view bytes);

/// The data are a part of `bytes`.
SafetensorsHeader read_safetensors_header(std::string_view bytes);

/// The tensors, which must cover the data without gap or overlap and be of one of these types.
SafetensorsBlocks read_safetensors_blocks(const SafetensorsHeader& header,
                                          std::span<const std::string_view> types);

/// The entries of a header, for tensors that lie one after the other in the order of their names.
nlohmann::json safetensors_entries(const SafetensorsBlocks& blocks);

/// Same content, same bytes. Throws nlohmann::json::type_error for names that are not UTF-8.
/// Throws ConfigError unless there are as many bytes as type and shape say, and for a tensor named
/// "__metadata__"; ModelFileError for a header that is too long to be read back. REQUIRES: known
/// types.
std::string safetensors_to_bytes(const SafetensorsBlocks& blocks,
                                 const std::map<std::string, std::string>& metadata);

/// The result of `read()`; `refuse` makes a sentence for the user of the reason that it throws.
template <typename Read, typename Refuse>
auto read_undamaged(const Read& read, const Refuse& refuse) -> decltype(read()) {
  try {
    return read();
  } catch (const ModelFileError& reason) {
    refuse(reason.what());
    throw;  // not reached: refuse throws
  }
}

/// A CRC-32 of several pieces, one after the other.
class Crc32 {
 public:
  void add(std::string_view bytes);
  std::string text() const;  ///< "crc32:0123abcd"

 private:
  unsigned long value_ = 0;
};

/// A number as the format writes it: 8 bytes, the lowest first.
std::string little_endian(std::uint64_t number);

}  // namespace knockout
