// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/base/seeded_hash.h"
#include "knockout/data/table.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/kinds/column_codec.h"

namespace knockout {

enum class ColumnRole { kInput, kTarget, kWeight, kIgnored };

/// Everything the options say about one column, patterns expanded.
struct ColumnRequest {
  ColumnRole role = ColumnRole::kInput;
  const ColumnCodec* kind = nullptr;     ///< What it is said to be; nullptr = nothing is said.
  std::vector<std::string> levels = {};  ///< Kinds with an order: lowest first.
  bool never_missing = false;
  bool missing_at_random = false;
  std::optional<double> lower, upper;
  bool range_by_name = false;  ///< The range names this very column, not a pattern that matches it.
  std::string group;
};

/// Finds the columns that a pattern means. Refers to the names.
class ColumnMatcher {
 public:
  /// A column's own name means just that column, even when it holds a `*` or is "all".
  struct Match {
    std::vector<std::size_t> columns;  ///< Ascending; never empty.
    bool by_name = false;
  };

  explicit ColumnMatcher(const std::vector<std::string>& names);
  /// Throws ConfigError, with a near name, where nothing is meant; `where` is the option's field.
  Match match(std::string_view pattern, std::string_view where) const;

 private:
  const std::vector<std::string>& names_;
  HashMap<std::string_view, std::size_t> place_of_;
};

/// One request per column of the table. Throws ConfigError for names that match nothing and for
/// options that contradict each other. A pattern passes over columns it cannot mean (a group
/// of `*` leaves the target alone); naming such a column is an error.
std::vector<ColumnRequest> read_requests(const Table& table, const SchemaOptions& options);

}  // namespace knockout
