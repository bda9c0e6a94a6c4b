// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// The cells of a table as one feature reads them. Words are looked up once per dictionary, never
/// once per row. Holds references: feature, column and
/// index must outlive it. Safe from any thread.
class FeatureCells {
 public:
  /// `column` is nullptr when the table lacks it: every cell is missing. `index` knows the
  /// feature's categories; nullptr for features of another kind.
  FeatureCells(const Feature& feature, const Column* column, const LabelIndex* index);

  CellState state(std::size_t row) const {
    return column_ == nullptr ? CellState::kMissing : column_->state(row);
  }

  // REQUIRES of all below: state(row) == kObserved.

  /// Continuous: the number. Dates: days since 1970. NaN where the cell cannot be read as one.
  double number(std::size_t row) const {
    return column_->is_text() ? word_numbers_[word(row)] : plain_number(row);
  }
  /// Whether a number may be used: readable and inside the declared range.
  bool accepts(double number) const { return number >= lower_ && number <= upper_; }
  /// Dates: sine and cosine of the season.
  const std::array<float, 2>& season(std::size_t row) const { return word_seasons_[word(row)]; }
  /// Position among the feature's categories, or -1 for one that training never saw.
  int category(std::size_t row) const {
    return column_->is_text() ? word_categories_[word(row)] : index_->find(column_->number(row));
  }

 private:
  std::size_t word(std::size_t row) const {
    return static_cast<std::size_t>(column_->codes()[row]);
  }
  double plain_number(std::size_t row) const {
    return is_date_ ? std::numeric_limits<double>::quiet_NaN() : column_->number(row);
  }

  const Column* column_;
  bool is_date_;
  double lower_, upper_;
  std::vector<double> word_numbers_;
  std::vector<std::array<float, 2>> word_seasons_;
  std::vector<std::int32_t> word_categories_;
  const LabelIndex* index_;
};

/// Throws the DataError for a cell that the feature cannot use: a word where a number or a date
/// belongs, a value outside the declared range, an unseen category, a gap that may not be.
[[noreturn]] void throw_bad_cell(const Table& table, const Feature& feature, const Column& column,
                                 std::size_t row);

}  // namespace knockout
