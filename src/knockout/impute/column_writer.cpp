// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/column_writer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <string>

#include <fmt/format.h>

#include "knockout/encode/feature_cells.h"

namespace knockout {
namespace {

std::string iso_day(double days_since_1970) {
  const std::chrono::sys_days day{std::chrono::days{static_cast<int>(std::round(days_since_1970))}};
  const std::chrono::year_month_day date{day};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace

ColumnWriter::ColumnWriter(const Feature& feature, const Input& input, const LabelIndex* index,
                           Column& column)
    : feature_(feature), input_(input), index_(index), column_(column) {}

void ColumnWriter::write(std::size_t row, float value) {
  if (!prepared_) prepare();
  if (input_.categorical) {
    const std::size_t category = static_cast<std::size_t>(value);
    if (category >= input_.width) return;  // a schema without categories: nothing to choose from
    if (is_text_) {
      write_code(row, category_codes_[category]);
    } else {
      column_.set_number(row, category_numbers_[category]);
    }
  } else {
    const double number = std::clamp(input_.mean + input_.stddev * static_cast<double>(value),
                                     input_.lowest, input_.highest);
    if (is_text_) {
      write_code(row, code_of(iso_day(number)));
    } else {
      column_.set_number(row, number);
    }
  }
}

void ColumnWriter::write_code(std::size_t row, std::int32_t code) {
  codes_[row] = code;
  states_[row] = CellState::kObserved;
}

void ColumnWriter::finish() {
  if (!is_text_) return;
  column_ = Column::coded(column_.name(), std::move(codes_), std::move(words_), std::move(states_));
}

void ColumnWriter::prepare() {
  prepared_ = true;
  if (feature_.kind == ColumnKind::kContinuous) {
    if (column_.is_text()) become_numbers();
    return;
  }
  if (feature_.kind == ColumnKind::kCategorical && !column_.is_text()) {
    for (const std::string& category : feature_.categories) {
      const auto number = parse_number(category);
      if (!number) break;
      category_numbers_.push_back(*number);
    }
    if (category_numbers_.size() == feature_.categories.size()) return;
  }
  become_words();
  for (const std::string& category : feature_.categories) {
    category_codes_.push_back(code_of(category));
  }
}

void ColumnWriter::become_numbers() {
  const FeatureCells cells(feature_, &column_, index_);
  std::vector<double> numbers(column_.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (column_.observed(row)) numbers[row] = cells.number(row);
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
