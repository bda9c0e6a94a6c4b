// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "knockout/encode/encoder.h"
#include "knockout/schema/kinds/column_codec.h"

namespace knockout {

/// Encodes one row again and again while its cells change, as Encoder::encode() would encode a
/// table of that row in which every column is there. Cells are gaps to begin with.
///
/// Numbers, known categories and gaps are set and encoded without allocating. Other words, those of
/// dates among them, allocate when they are set.
class RowEncoder {
 public:
  /// `encoder` must outlive it.
  explicit RowEncoder(const Encoder& encoder);

  // REQUIRES of all: `feature` is a position in Schema::features.

  /// NaN is missing, an infinity is missing for a reason.
  void set(std::size_t feature, double number);
  /// As the cell of a text column.
  void set(std::size_t feature, std::string_view word);
  /// REQUIRES: not CellState::kObserved.
  void set_missing(std::size_t feature, CellState state = CellState::kMissing);
  /// All cells are gaps again.
  void clear();

  /// Valid until the next call. Throws DataError as Encoder::encode() does for cells that it cannot
  /// use.
  const EncodedRows& encode();

 private:
  void replace(Column column);
  /// False for a category that training never saw, which is negative.
  bool set_category(std::size_t feature, int category);

  const Encoder& encoder_;
  Table row_;
  std::vector<bool> usual_;  ///< Per feature: the column has the numbers or the words of the model.
  std::vector<CellReader> cells_;
  std::vector<GapInputs> gaps_;
  EncodedRows encoded_;
};

}  // namespace knockout
