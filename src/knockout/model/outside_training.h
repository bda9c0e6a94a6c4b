// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/model/model.h"

namespace knockout {

/// What the rows of a table hold that training never saw: numbers and dates beyond its range,
/// categories that are new, rows without a single input. Answers for such rows are guesses beyond
/// the data. Models that were written before they kept what training saw know of categories alone.
///   const OutsideTraining outside(model, table);
///   if (!outside.text().empty()) std::cerr << outside.text();
class OutsideTraining {
 public:
  /// `table` is read as the model reads it first (read_as()).
  OutsideTraining(const Model& model, const Table& table);

  /// Rows with anything that training never saw.
  std::size_t rows() const;
  /// In whole sentences, with counts and examples; "" where there is nothing to tell.
  std::string text() const;
  /// One word list per row, "age, ward", gaps where there is nothing: a column for predictions.
  Column flags(std::string name) const;

 private:
  static constexpr std::size_t kMostExamples = 3;
  /// Cells of one column that are below what training saw, above it, or new words.
  struct Side {
    std::size_t rows = 0;
    std::vector<std::string> examples = {};
    std::set<std::string> others = {};  ///< Words that are not among the examples.

    void add(const std::string& cell, bool list);
    std::string text(std::string_view what) const;
  };
  struct Found {
    std::string column;
    Side below = {}, above = {}, unseen = {};
    std::vector<std::size_t> rows = {};

    std::string text() const;  ///< `age "140", above all of training (2 rows)`
  };
  std::vector<Found> found_;
  std::vector<std::size_t> empty_rows_;
  std::size_t row_count_ = 0;
};

}  // namespace knockout
