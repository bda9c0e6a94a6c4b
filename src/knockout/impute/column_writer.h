// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/table.h"
#include "knockout/impute/input_matrix.h"
#include "knockout/schema/labels.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// Writes filled values into one column of a table, as its kind writes them: numbers, categories in
/// the column's own words, dates as ISO days. At the first write, a column
/// that cannot hold what is written, such as an empty one read as numbers, changes its form; its
/// other cells keep what they say.
class ColumnWriter {
 public:
  /// Holds references: all must outlive it. `labels` come from labels_for().
  ColumnWriter(const Feature& feature, const Input& input, const LabelIndex* labels,
               Column& column);

  /// `value` as in InputMatrix: standardised, or the position of a category.
  void write(std::size_t row, float value);
  /// The mean into every gap of a numeric column. REQUIRES: the feature is continuous and the
  /// column not of words.
  void write_mean() { column_.fill_gaps(input_.mean); }
  /// Puts what was written into the column. Call it once, after the last write.
  void finish();

 private:
  double reading_of(float value) const;
  void prepare();
  void become_numbers();
  void become_words();
  std::int32_t code_of(const std::string& word);

  const Feature& feature_;
  const Input& input_;
  const LabelIndex* labels_;
  Column& column_;
  bool prepared_ = false;
  bool is_text_ = false;             ///< What the column will hold.
  std::vector<std::int32_t> codes_;  ///< Text: per row.
  std::vector<CellState> states_;    ///< Text: per row.
  std::vector<std::string> words_;   ///< Text: those of the column and new ones.
  /// The last value and what stands for it: a mean or a mode is written many times.
  std::optional<double> last_reading_;
  double last_number_ = 0.0;
  std::int32_t last_code_ = -1;
  HashMap<std::string, std::int32_t> code_of_word_;
};

}  // namespace knockout
