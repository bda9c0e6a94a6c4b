// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "knockout/mask/sampler.h"
#include "knockout/model/targets.h"

namespace knockout {

inline constexpr std::size_t kMaxHeldOutRows = 20000;  ///< More cost time and tell nothing new.

/// Which rows a member of an ensemble learns from, and which it is judged by.
struct RowSplit {
  std::vector<std::uint32_t> training;  ///< Ascending.
  std::vector<std::uint32_t> held_out;  ///< Empty = none.
  /// Few rows are judged under several masks: one mask says little.
  std::size_t repeats = 0;

  std::size_t judged_rows() const { return held_out.size() * repeats; }
  /// The example behind the judged row at this position.
  std::uint32_t source(std::size_t position) const { return held_out[position % held_out.size()]; }
};

/// How many masks each of so many held-out rows is judged under, when a row has `width` encoded
/// inputs. REQUIRES: held_out > 0.
std::size_t masks_per_row(std::size_t held_out, int width);

/// How members hold rows out. Learners of one model that split alike can be compared.
struct HoldOut {
  double share = 0;  ///< 0 = none.
  std::uint64_t seed = 0;

  /// So many members hold out other rows; the next begins again.
  int folds() const;
};

/// Splits the labelled rows. Member k holds out the k-th part, so that the ensemble as a whole
/// sees every row. Throws DataError when no row has a label.
RowSplit split_rows(const Examples& examples, const HoldOut& hold_out, int member);

/// Draws what the judged rows of a member lose: step 0, row = position.
KnockoutSampler held_out_sampler(const KnockoutPlan& plan, const HoldOut& hold_out, int member);

}  // namespace knockout
