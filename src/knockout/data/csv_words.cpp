// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_words.h"

#include <algorithm>

#include "knockout/data/csv_number.h"

namespace knockout {

GapWords::GapWords(const std::vector<std::string>& missing_words,
                   const std::vector<std::string>& reason_words) {
  const auto add_number = [&](double number, CellState state) {
    const auto known = std::find_if(numbers_.begin(), numbers_.end(),
                                    [&](const auto& entry) { return entry.first == number; });
    if (known == numbers_.end()) {
      numbers_.emplace_back(number, state);
    } else {
      known->second = state;
    }
  };
  const auto add = [&](const std::string& word, CellState state) {
    if (word.empty()) return;
    states_[word] = state;
    starts_[static_cast<unsigned char>(word.front())] = true;
    for (const char mark : {'.', ','}) {
      const ParsedNumber number = parse_number(word, mark);
      if (number.kind != NumberKind::kNumber) continue;
      add_number(number.value, state);
      break;
    }
  };
  for (const std::string& word : missing_words) add(word, CellState::kMissing);
  for (const std::string& word : reason_words) add(word, CellState::kMissingForAReason);
}

std::optional<CellState> GapWords::state_of(std::string_view cell) const {
  if (cell.empty()) return CellState::kMissing;
  if (!starts_[static_cast<unsigned char>(cell.front())]) return std::nullopt;
  const auto found = states_.find(cell);
  if (found == states_.end()) return std::nullopt;
  return found->second;
}

std::optional<CellState> GapWords::state_of_number(double number) const {
  for (const auto& [value, state] : numbers_) {
    if (value == number) return state;
  }
  return std::nullopt;
}

}  // namespace knockout
