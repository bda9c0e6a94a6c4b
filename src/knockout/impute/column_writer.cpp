// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/column_writer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
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
    if (column_.is_text) {
      column_.codes[row] = category_codes_[category];
    } else {
      column_.numbers[row] = category_numbers_[category];
    }
  } else {
    const double number = std::clamp(input_.mean + input_.stddev * static_cast<double>(value),
                                     input_.lowest, input_.highest);
    if (column_.is_text) {
      column_.codes[row] = code_of(iso_day(number));
    } else {
      column_.numbers[row] = number;
    }
  }
  column_.states[row] = CellState::kObserved;
}

void ColumnWriter::write_mean() {
  double* const numbers = column_.numbers.data();
  const CellState* const states = column_.states.data();
  const std::size_t rows = column_.size();
  // Without a branch, which gaps at random would make expensive. An infinity is a gap, too.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (std::size_t row = 0; row < rows; ++row) {
    const bool observed = static_cast<int>(states[row] == CellState::kObserved) &
                          static_cast<int>(std::abs(numbers[row]) < kInfinity);
    numbers[row] = observed ? numbers[row] : input_.mean;
  }
  std::fill(column_.states.begin(), column_.states.end(), CellState::kObserved);
}

void ColumnWriter::prepare() {
  prepared_ = true;
  if (feature_.kind == ColumnKind::kContinuous) {
    if (column_.is_text) become_numbers();
    return;
  }
  if (feature_.kind == ColumnKind::kCategorical && !column_.is_text) {
    for (const std::string& category : feature_.categories) {
      const auto number = parse_number(category);
      if (!number) break;
      category_numbers_.push_back(*number);
    }
  }
  const bool numbers_suffice = !column_.is_text &&
                               category_numbers_.size() == feature_.categories.size() &&
                               feature_.kind == ColumnKind::kCategorical;
  if (numbers_suffice) return;
  if (!column_.is_text) become_words();
  for (std::size_t code = 0; code < column_.words.size(); ++code) {
    codes_.emplace(column_.words[code], static_cast<std::int32_t>(code));
  }
  for (const std::string& category : feature_.categories) {
    category_codes_.push_back(code_of(category));
  }
}

void ColumnWriter::become_numbers() {
  const FeatureCells cells(feature_, &column_, index_);
  std::vector<double> numbers(column_.size());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    if (cells.state(row) == CellState::kObserved) numbers[row] = cells.number(row);
  }
  column_.numbers = std::move(numbers);
  column_.codes.clear();
  column_.words.clear();
  column_.is_text = false;
}

void ColumnWriter::become_words() {
  std::vector<std::int32_t> codes(column_.size(), -1);
  for (std::size_t row = 0; row < codes.size(); ++row) {
    const bool observed = cell_state(column_, row) == CellState::kObserved;
    if (observed) codes[row] = code_of(label_of_number(column_.numbers[row]));
  }
  column_.codes = std::move(codes);
  column_.numbers.clear();
  column_.is_text = true;
}

std::int32_t ColumnWriter::code_of(const std::string& word) {
  const auto [found, is_new] =
      codes_.emplace(word, static_cast<std::int32_t>(column_.words.size()));
  if (is_new) column_.words.push_back(word);
  return found->second;
}

}  // namespace knockout
