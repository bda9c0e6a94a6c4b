// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knockout/data/table.h"

namespace knockout {

enum class Mechanism {
  kMcar,  ///< Completely at random.
  kMar,   ///< Depends on the other, observed columns.
  kMnar,  ///< Depends on the value that goes missing.
};

/// How cells are removed from a table, to make data with gaps of a known kind.
struct AmputeOptions {
  Mechanism mechanism = Mechanism::kMcar;
  double rate = 0.3;  ///< Share of the cells of each amputed column that go missing.
  std::vector<std::string>
      columns;                    ///< Which columns lose cells; empty = all but `keep`. `*` works.
  std::vector<std::string> keep;  ///< Never amputed: targets, keys.
  /// MNAR: the values above the (1 - rate) quantile go missing, as in the paper ("above the 90th
  /// percentile" is rate 0.1). False: a logistic draw in the value.
  bool above_quantile = true;
  /// MAR: columns whose observed values drive the gaps; empty = for each amputed column all the
  /// others.
  std::vector<std::string> drivers;
  std::uint64_t seed = 0;
};

/// A copy of the table with cells removed. Cells already missing stay missing. A pure function of
/// table and options. Throws ConfigError for impossible options, DataError for a mechanism that a
/// column cannot take.
Table ampute(const Table& table, const AmputeOptions& options);

Mechanism parse_mechanism(const std::string& word);

}  // namespace knockout
