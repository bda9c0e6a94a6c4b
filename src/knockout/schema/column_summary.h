// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/infer.h"

namespace knockout {

/// What a person wants to see of a column before anything is learned from it.
struct ColumnSummary {
  enum class Role { kInput, kTarget, kWeight, kSetAside };
  struct Count {
    std::string label;
    std::size_t rows = 0;
  };

  std::string name;
  Role role = Role::kInput;
  std::optional<std::size_t> feature;  ///< Role::kInput only: its position in the schema.
  ColumnKind kind{};                   ///< A target of classes is categorical.
  std::string set_aside_reason;        ///< Role::kSetAside only.
  std::size_t observed = 0;
  std::size_t missing = 0;                       ///< Gaps of both sorts.
  std::size_t missing_for_a_reason = 0;          ///< Those that say so themselves.
  std::size_t below_limit = 0, above_limit = 0;  ///< Of these, where it is a limit.

  std::optional<double> low, high, mean;  ///< Continuous, with at least one value.
  std::string first_date, last_date;      ///< Dates, as the table writes them.
  std::size_t distinct = 0;               ///< Categories: different values.
  /// Categories: at most kShownCategories, the most frequent first; all, where they have an order.
  std::vector<Count> counts;
  std::string_view counts_name = "most_frequent";  ///< What programs know the counts as.
  std::size_t counts_in_line = 3;                  ///< So many are shown to people.

  static constexpr std::size_t kShownCategories = 5;
};

/// One summary per column, in the order of the table. REQUIRES: `inferred` came from this table.
std::vector<ColumnSummary> summarise_columns(const Table& table, const InferredSchema& inferred);

/// The mean log loss of always answering the shares that the classes have among the labels: what a
/// classifier has to beat. 0 for regression, where the comparison is the variance.
double base_rate_log_loss(const Column& column, const Target& target);

std::string_view to_string(ColumnSummary::Role role);

}  // namespace knockout
