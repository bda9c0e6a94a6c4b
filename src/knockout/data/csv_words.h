// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/column.h"

namespace knockout {

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
