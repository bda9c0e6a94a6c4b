// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/outer_blanks.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "knockout/data/csv_field.h"
#include "knockout/data/word_table.h"

namespace knockout {

bool has_outer_blanks(const Column& column) {
  const auto words = column.words();
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return trim(word) != word; });
}

Column without_outer_blanks(const Column& column) {
  WordTable trimmed;
  std::vector<std::int32_t> code_of;
  for (const std::string& word : column.words()) {
    code_of.push_back(trim(word).empty() ? -1 : trimmed.find_or_add(trim(word)));
  }
  std::vector<std::int32_t> codes(column.codes().begin(), column.codes().end());
  std::vector<CellState> states(column.states().begin(), column.states().end());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    if (codes[row] < 0) continue;
    codes[row] = code_of[static_cast<std::size_t>(codes[row])];
    if (codes[row] < 0) states[row] = CellState::kMissing;
  }
  return Column::coded(column.name(), std::move(codes), trimmed, std::move(states));
}

}  // namespace knockout
