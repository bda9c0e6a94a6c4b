// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/encode/encoder.h"
#include "knockout/model/learner.h"

namespace knockout {

/// The number that stands for each level of each embedded column: [column][level].
using LevelNumbers = std::vector<std::vector<float>>;

/// Encoded rows as trees read them. A gap makes the value's inputs NaN, for which each split learns
/// a branch; gaps of unknown cause and those that are said to be for a reason keep an input of
/// their own besides. A category that networks embed is one number per level.
/// Immutable and thread-safe.
class TreeInputs {
 public:
  explicit TreeInputs(const Encoder& encoder);

  int columns() const { return columns_; }
  int codes() const { return static_cast<int>(levels_.size()); }
  /// The levels of an embedded column.
  int levels(std::size_t code) const { return levels_[code]; }

  /// Writes rows x columns() numbers. REQUIRES: a number for every level.
  void write(const EncodedBlock& block, const LevelNumbers& numbers, float* out) const;

 private:
  /// The dense inputs of a feature.
  struct Source {
    std::size_t begin = 0;       ///< Its first input.
    std::size_t values = 0;      ///< Inputs of an observed cell.
    std::size_t gap_inputs = 0;  ///< Inputs after those, one of which is not 0 in a gap.
    bool zeros_are_a_gap = false;
    std::vector<std::size_t> kept;  ///< Gap inputs that trees read too.
  };

  std::vector<Source> sources_;
  std::vector<std::size_t> group_flags_;
  std::vector<int> levels_;
  int columns_ = 0;
  std::size_t width_ = 0;
};

}  // namespace knockout
