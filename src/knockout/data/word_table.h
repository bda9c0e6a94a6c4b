// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace knockout {

/// The distinct words of a column, numbered in order of first appearance. Holds views: the bytes of
/// an added word must outlive the table.
class WordTable {
 public:
  /// The code of a word, -1 when it is not there.
  std::int32_t find(std::string_view word) const;
  /// The code of a word, which is added when it is new.
  std::int32_t find_or_add(std::string_view word);

  const std::vector<std::string_view>& words() const { return words_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;  ///< Other bits of the hash than those that chose the slot.
    std::int32_t code = -1;
  };
  std::size_t slot_of(std::string_view word, std::size_t hash) const;
  void grow();

  std::vector<std::string_view> words_;
  std::vector<Slot> slots_;  ///< Open addressing; the size is a power of two, at most half full.
};

}  // namespace knockout
