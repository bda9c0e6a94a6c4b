// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/mask/plan.h"

namespace knockout {

/// Which columns are missing together in a table, and how often: the pattern grid of `inspect`.
struct PatternCount {
  std::vector<std::string> missing_columns;  ///< In the order asked for.
  std::size_t rows = 0;
};

/// The patterns over the given columns (columns absent from the table count as missing), most
/// frequent first; ties in lexical order of `missing_columns`. At most `limit` of them.
std::vector<PatternCount> count_patterns(
    const Table& table, const std::vector<std::string>& columns,
    std::size_t limit = std::numeric_limits<std::size_t>::max());

/// A plan keeps at most this many patterns of a reference; of more, a representative sample.
inline constexpr std::size_t kMaxReferencePatterns = 4096;

/// Turns the patterns of a reference file into plan parts: how data go missing where the model will
/// be used. A unit is missing in a row when any of its columns is. `complete_share` mixes in
/// complete rows so that the full model is learnt too. Throws DataError for a reference without
/// rows or without any of the columns, ConfigError unless there is one entry per unit and the share
/// is in [0, 1).
KnockoutPlan plan_from_reference(const Table& reference, const std::vector<std::string>& unit_names,
                                 const std::vector<std::vector<std::string>>& unit_columns,
                                 const std::vector<bool>& never_missing,
                                 double complete_share = 0.3);

}  // namespace knockout
