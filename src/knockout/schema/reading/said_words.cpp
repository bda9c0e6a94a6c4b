// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/said_words.h"

#include <algorithm>

#include "knockout/data/csv_number.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/csv_words.h"
#include "knockout/schema/reading/number_shape.h"

namespace knockout {
namespace {

/// Of a word that a program could have written: 007 is a name.
std::optional<double> said_number(std::string_view word, char decimal_mark) {
  const ParsedNumber number = parse_number(word, decimal_mark);
  if (number.kind != NumberKind::kNumber) return std::nullopt;
  const std::optional<NumberShape> shape = take_apart(word);
  if (!shape || is_code(*shape)) return std::nullopt;
  return number.value + 0.0;  // -0 is 0
}

}  // namespace

SaidWords::SaidWords(const std::vector<std::string>& missing,
                     const std::vector<std::string>& reason)
    : has_reasons_(!reason.empty()) {
  const auto add = [&](const std::string& word, CellState state) {
    if (word.empty()) return;
    states_[word] = state;
    for (const char mark : {'.', ','}) {
      if (const auto number = said_number(word, mark)) number_states_[*number] = state;
    }
  };
  for (const std::string& word : missing) add(word, CellState::kMissing);
  for (const std::string& word : reason) add(word, state_of_reason(word));
}

std::optional<CellState> SaidWords::state_of(std::string_view word) const {
  if (states_.empty()) return std::nullopt;
  const auto found = states_.find(std::string(word));
  if (found != states_.end()) return found->second;
  if (number_states_.empty() || word.empty()) return std::nullopt;
  if (std::string_view("+-.0123456789").find(word[0]) == std::string_view::npos) {
    return std::nullopt;
  }
  const std::optional<double> number = said_number(word, '.');
  return number ? state_of(*number) : std::nullopt;
}

std::optional<CellState> SaidWords::state_of(double number) const {
  const auto found = number_states_.find(number);
  if (found == number_states_.end()) return std::nullopt;
  return found->second;
}

SaidWordsByColumn::SaidWordsByColumn(const std::vector<std::string>& missing,
                                     const std::vector<std::string>& reason,
                                     const std::vector<MissingIn>& missing_in)
    : everywhere_(missing, reason) {
  for (const MissingIn& said : missing_in) {
    std::vector<std::string> words = missing;
    words.insert(words.end(), said.words.begin(), said.words.end());
    of_some_.push_back({said.column, SaidWords(words, reason)});
  }
}

const SaidWords& SaidWordsByColumn::of(std::string_view column) const {
  const auto found = std::find_if(of_some_.begin(), of_some_.end(), [&](const OfSome& some) {
    return some.column == column || matches_pattern(column, some.column);
  });
  return found == of_some_.end() ? everywhere_ : found->said;
}

}  // namespace knockout
