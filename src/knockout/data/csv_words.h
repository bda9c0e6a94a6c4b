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

/// What a word says that somebody declared to mean "missing for a reason": "<LOD" lies below a
/// limit, ">8" above one.
CellState state_of_reason(std::string_view word);

/// The words that stand for a gap, and which kind of gap. A word in both lists means "for a
/// reason".
class GapWords {
 public:
  GapWords(const std::vector<std::string>& missing_words,
           const std::vector<std::string>& reason_words);

  /// The state that the cell stands for, or nothing when it is an ordinary cell. Empty is missing.
  /// Numbers are compared as words.
  std::optional<CellState> state_of(std::string_view cell) const;

  /// Whether one of the words is a number, such as -999.
  bool has_numbers() const { return !numbers_.empty(); }
  /// The state that the number stands for, or nothing.
  std::optional<CellState> state_of_number(double number) const;

 private:
  std::map<std::string, CellState, std::less<>> states_;
  std::array<bool, 256> starts_{};  ///< First bytes of the words: turns most cells away quickly.
  std::map<double, CellState> numbers_;  ///< The words that are numbers.
};

}  // namespace knockout
