// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knockout/data/table.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// What the user says about the columns. Column names may use `*`. Everything unsaid is inferred
/// from the data.
struct SchemaOptions {
  std::vector<std::string> targets = {};  ///< Columns to predict. May be empty for `inspect`.
  std::string task = {};  ///< "", "regression" or "classification", for all targets.
  std::vector<std::string> categorical = {};
  std::vector<std::string> continuous = {};
  std::vector<std::string> ignore = {};
  std::vector<std::string> never_missing = {};
  std::vector<std::string> ranges = {};  ///< "age=0:120"; an empty side is open: "income=0:".
  std::vector<std::string> groups = {};  ///< "mri=vol_*" or "mri=vol_*,thickness".
  /// Columns whose gaps are declared MCAR, or "all".
  std::vector<std::string> missing_at_random = {};
  std::string weight_column = {};
  UnseenCategory unseen_category = UnseenCategory::kError;
};

/// A column that is not used, and why.
struct UnusedColumn {
  std::string column;
  /// "constant", "empty", "looks like an identifier (...)", "ignored on request".
  std::string reason;
};

/// The schema and everything a person should hear about how it came about.
struct InferredSchema {
  Schema schema;
  std::vector<UnusedColumn> set_aside;
  /// Complete sentences that name the column and the option that overrides.
  std::vector<std::string> warnings;
};

/// Infers what each column is. Deterministic; reads every row.
/// Throws ConfigError for names that match no column and options that contradict each other,
/// DataError for data that contradict an option (a value outside its declared range, a word in a
/// continuous column, a target with one class or without a single label).
///   InferredSchema inferred = infer_schema(table, {.targets = {"survived"}});
InferredSchema infer_schema(const Table& table, const SchemaOptions& options);

/// Expands column patterns ("mri_*", "all") against names, in table order. Throws ConfigError
/// naming `option` and near names for a pattern that matches nothing.
std::vector<std::string> expand_columns(const std::vector<std::string>& patterns,
                                        const std::vector<std::string>& names,
                                        std::string_view option);

}  // namespace knockout
