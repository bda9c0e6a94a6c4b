// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/column_writer.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "knockout/schema/kinds/kinds.h"

namespace knockout {

ColumnWriter::ColumnWriter(const Feature& feature, const Input& input, const LabelIndex* labels,
                           Column& column)
    : feature_(feature), input_(input), labels_(labels), column_(column) {}

void ColumnWriter::write(std::size_t row, float value) {
  if (!prepared_) prepare();
  const ColumnCodec& codec = codec_of(feature_);
  if (codec.has_categories() && feature_.categories.empty()) return;  // nothing to choose from
  const double reading = reading_of(value);
  if (reading != last_reading_) {
    last_reading_ = reading;
    if (is_text_) {
      last_code_ = code_of(codec.word_of(feature_, reading));
    } else {
      last_number_ = codec.number_of(feature_, reading);
    }
  }
  if (!is_text_) return column_.set_number(row, last_number_);
  codes_[row] = last_code_;
  states_[row] = CellState::kObserved;
}

double ColumnWriter::reading_of(float value) const {
  if (input_.categorical) return static_cast<double>(value);
  const double number = input_.mean + input_.stddev * static_cast<double>(value);
  // Finite coefficients of a forged file can add up to what is no number.
  return std::isnan(number) ? input_.mean : std::clamp(number, input_.lowest, input_.highest);
}

void ColumnWriter::finish() {
  if (!is_text_) return;
  column_ = Column::coded(column_.name(), std::move(codes_), std::move(words_), std::move(states_));
}

void ColumnWriter::prepare() {
  prepared_ = true;
  if (!codec_of(feature_).writes_numbers(feature_, column_)) {
    become_words();
  } else if (column_.is_text()) {
    become_numbers();
  }
}

void ColumnWriter::become_numbers() {
  const CellReader cells(feature_, &column_, labels_);
  std::vector<double> numbers(column_.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (column_.observed(row)) numbers[row] = cells.reading(row);
  }
  const std::span<const CellState> states = column_.states();
  column_ = Column::numbers(column_.name(), std::move(numbers), {states.begin(), states.end()});
}

void ColumnWriter::become_words() {
  is_text_ = true;
  states_.assign(column_.states().begin(), column_.states().end());
  for (const std::string& word : column_.words()) code_of(word);
  if (column_.is_text()) {
    codes_.assign(column_.codes().begin(), column_.codes().end());
    return;
  }
  codes_.assign(column_.size(), -1);
  for (std::size_t row = 0; row < codes_.size(); ++row) {
    if (column_.observed(row)) codes_[row] = code_of(label_of_number(column_.number(row)));
  }
}

std::int32_t ColumnWriter::code_of(const std::string& word) {
  const auto [found, is_new] =
      code_of_word_.emplace(word, static_cast<std::int32_t>(words_.size()));
  if (is_new) words_.push_back(word);
  return found->second;
}

}  // namespace knockout
