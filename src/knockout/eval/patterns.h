// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "knockout/base/limits.h"
#include "knockout/data/table.h"
#include "knockout/model/predictor.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// A pattern with the name that reports call it by.
struct NamedPattern {
  /// "age, mri", or "nothing". A group that is gone in part is named by its columns.
  std::string name;
  std::size_t missing = 0;  ///< How many units: columns, or groups as a whole.
  MissingPattern pattern;
  std::size_t rows = 0;  ///< patterns_seen(): how many rows have it.
};

/// What may go missing at once: every column, or group, that is not declared never missing.
struct MissingUnit {
  std::string name;
  std::vector<std::string> columns;
};
std::vector<MissingUnit> missing_units(const Schema& schema);

/// Patterns, and whether they are all there are.
struct PatternList {
  std::vector<NamedPattern> patterns;  ///< "nothing" first, then by number missing.
  std::vector<std::string> notes;      ///< "of the 1,330 patterns with 3 missing, 200 were drawn".
};

/// Positions, ascending.
using Combination = std::vector<std::uint32_t>;
/// Every choice of `chosen` out of `count` things, in lexical order; none when there are too few.
std::vector<Combination> all_combinations(std::size_t count, std::size_t chosen);

/// Every pattern of up to `max_missing` units; of more than `limit` patterns of one size, so many
/// drawn at random without repetition. A pure function of its arguments. Throws ConfigError when
/// `max_missing` is negative, and, with the figure, when so many patterns and their scores would
/// take more memory than allowed.
PatternList patterns_up_to(const Schema& schema, int max_missing, std::size_t limit = 200,
                           std::uint64_t seed = 0, const Limits& limits = {});
/// The patterns of gaps that rows of the table have, at most the `limit` most frequent ones; of
/// those with the same number missing, the most frequent first. Columns that the table lacks count
/// as missing.
PatternList patterns_seen(const Schema& schema, const Table& table, std::size_t limit = 200);
/// Nothing, and each column or group alone.
PatternList single_patterns(const Schema& schema);
/// One pattern per line of a text file: names of columns or groups, comma-separated, `*` works;
/// "none" = nothing; blank lines and lines that start with # are passed over, and so are
/// repetitions. "nothing" is there even if the file does not ask for it. Throws FileError, and
/// ConfigError with file and line.
PatternList read_patterns(const Schema& schema, const std::string& path);

}  // namespace knockout
