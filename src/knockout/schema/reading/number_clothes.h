// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "knockout/schema/reading/number_format.h"
#include "knockout/schema/reading/number_shape.h"
#include "knockout/schema/reading/word_counts.h"

namespace knockout {

/// The words of a column, each taken apart.
struct ShapedWords {
  explicit ShapedWords(const std::vector<WordCount>& all);

  const std::vector<WordCount>& words;
  std::vector<std::optional<NumberShape>> shapes;  ///< One per word.
  std::size_t shape_cells = 0;                     ///< Of all words that have one.
};

/// The one format that suits most cells. `file_mark` is the decimal mark of the file's plain
/// numbers, which decides where two marks fit equally well.
NumberFormat choose_format(const ShapedWords& column, char file_mark);

}  // namespace knockout
