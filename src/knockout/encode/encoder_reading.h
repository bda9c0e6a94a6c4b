// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/encode/encoder.h"
#include "knockout/encode/feature_cells.h"

namespace knockout {

struct Encoder::Reading {
  const Feature& feature;
  const FeatureCoding& coding;
  const Column* column;  ///< nullptr = not in the table.
  FeatureCells cells;
  /// What the first and the second placeholder write.
  std::array<std::vector<float>, 2> gap_inputs;
  std::array<std::int32_t, 2> gap_codes;
  /// Which of the two a gap takes, by CellState.
  std::array<std::size_t, 3> placeholder_of_state;
};

}  // namespace knockout
