// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/table.h"

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

/// The words that stand for a gap, and which kind of gap. A word in both lists means "for a
/// reason".
class GapWords {
 public:
  GapWords(const std::vector<std::string>& missing_words,
           const std::vector<std::string>& reason_words);

  /// The state that the cell stands for, or nothing when it is an ordinary cell. Empty is missing.
  std::optional<CellState> state_of(std::string_view cell) const;

  /// Whether one of the words, such as -999, could be taken for a number.
  bool has_numbers() const { return has_numbers_; }

 private:
  std::map<std::string, CellState, std::less<>> states_;
  std::array<bool, 256> starts_{};  ///< First bytes of the words: turns most cells away quickly.
  bool has_numbers_ = false;
};

}  // namespace knockout
