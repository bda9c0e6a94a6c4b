// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// The reading of a cell that the kind cannot read.
inline constexpr double kUnreadable = std::numeric_limits<double>::quiet_NaN();
/// The reading of a category that training never saw. No observed number is infinite.
inline constexpr double kUnseen = -std::numeric_limits<double>::infinity();

/// What a reader of cells does where there is no value.
struct GapRules {
  bool refuse_gaps = false;        ///< A gap is a bad cell.
  bool unseen_is_missing = false;  ///< An unseen category is a gap. Otherwise it is a bad cell.
};

/// Knows the categories of a feature; nullptr where its kind has none. Made once per feature.
std::shared_ptr<const LabelIndex> labels_for(const Feature& feature);

/// The cells of a table as one feature reads them: every observed cell is one number, its reading.
/// It is the number itself, the days since 1970, or the position among the categories. Words are
/// read once per dictionary, never once per row.
/// Holds references: feature, column and labels must outlive it. Safe from any thread.
class CellReader {
 public:
  /// `column` is nullptr when the table lacks it: every cell is missing. `labels` come from
  /// labels_for().
  CellReader(const Feature& feature, const Column* column, const LabelIndex* labels);

  const Feature& feature() const { return *feature_; }
  const Column* column() const { return column_; }
  CellState state(std::size_t row) const {
    return column_ == nullptr ? CellState::kMissing : column_->state(row);
  }
  /// Whether cells are simply numbers, any of them if the feature has no range.
  bool is_plain() const {
    return column_ != nullptr && !is_text_ && labels_ == nullptr && reads_numbers_;
  }

  // REQUIRES of both: state(row) == kObserved.

  /// The cell as a number, kUnreadable or kUnseen.
  double reading(std::size_t row) const {
    if (is_text_) return word_readings_[static_cast<std::size_t>(column_->codes()[row])];
    if (labels_ != nullptr) return reading_of_label(labels_->find(column_->number(row)));
    return reads_numbers_ ? column_->number(row) : kUnreadable;
  }
  /// What the kind knows of a word beyond its reading (ColumnCodec::add_details).
  const float* details(std::size_t row) const {
    return word_details_.data() + static_cast<std::size_t>(column_->codes()[row]) * detail_count_;
  }

  /// Whether a reading may be used: readable, seen before and inside the declared range.
  bool accepts(double reading) const { return reading >= lower_ && reading <= upper_; }

  /// Calls `on_value(row, reading)` or `on_gap(row, state)` for rows [begin, end). The state is
  /// kObserved where a category is unseen. Returns the first bad row, or `end`.
  template <typename OnValue, typename OnGap>
  std::size_t visit(std::size_t begin, std::size_t end, const GapRules& rules,
                    const OnValue& on_value, const OnGap& on_gap) const {
    for (std::size_t row = begin; row < end; ++row) {
      const CellState cell = state(row);
      if (cell == CellState::kObserved) {
        const double value = reading(row);
        if (accepts(value)) {
          on_value(row, value);
          continue;
        }
        if (value != kUnseen || !rules.unseen_is_missing) return row;
      } else if (rules.refuse_gaps) {
        return row;
      }
      on_gap(row, cell);
    }
    return end;
  }

  /// The reading of a position among the labels, -1 being none.
  static double reading_of_label(int position) { return position < 0 ? kUnseen : position; }

 private:
  const Feature* feature_;
  const Column* column_;
  const LabelIndex* labels_;
  bool is_text_;
  bool reads_numbers_;
  double lower_, upper_;
  std::vector<double> word_readings_;
  std::vector<float> word_details_;
  std::size_t detail_count_ = 0;  ///< Per word.
};

/// Throws the DataError for a cell that its feature cannot use: a word where a number or a date
/// belongs, a value outside the declared range, an unseen category, a gap that may not be.
[[noreturn]] void throw_bad_cell(const Table& table, const CellReader& cells, std::size_t row);

}  // namespace knockout
