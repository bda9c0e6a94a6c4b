// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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
  struct Found {
    std::string column;
    std::string example;  ///< "ward \"W9\"", "age 140, above 91".
    std::vector<std::size_t> rows;
  };
  std::vector<Found> found_;
  std::vector<std::size_t> empty_rows_;
  std::size_t row_count_ = 0;
};

}  // namespace knockout
