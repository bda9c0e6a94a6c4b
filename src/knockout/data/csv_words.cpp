// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_words.h"

#include "knockout/data/csv_number.h"

namespace knockout {

CellState state_of_reason(std::string_view word) {
  const auto starts_with = [&](std::string_view mark) { return word.starts_with(mark); };
  if (starts_with("<") || starts_with("≤")) return CellState::kBelowLimit;
  if (starts_with(">") || starts_with("≥")) return CellState::kAboveLimit;
  return CellState::kMissingForAReason;
}

GapWords::GapWords(const std::vector<std::string>& missing_words,
                   const std::vector<std::string>& reason_words) {
  const auto add = [&](const std::string& word, CellState state) {
    if (word.empty()) return;
    states_[word] = state;
    starts_[static_cast<unsigned char>(word.front())] = true;
    for (const char mark : {'.', ','}) {
      const ParsedNumber number = parse_number(word, mark);
      if (number.kind != NumberKind::kNumber) continue;
      numbers_[number.value] = state;
      break;
    }
  };
  for (const std::string& word : missing_words) add(word, CellState::kMissing);
  for (const std::string& word : reason_words) add(word, state_of_reason(word));
}

std::optional<CellState> GapWords::state_of(std::string_view cell) const {
  if (cell.empty()) return CellState::kMissing;
  if (!starts_[static_cast<unsigned char>(cell.front())]) return std::nullopt;
  const auto found = states_.find(cell);
  if (found == states_.end()) return std::nullopt;
  return found->second;
}

std::optional<CellState> GapWords::state_of_number(double number) const {
  const auto found = numbers_.find(number);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

}  // namespace knockout
