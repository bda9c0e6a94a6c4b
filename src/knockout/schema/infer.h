// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "knockout/base/option.h"
#include "knockout/data/note.h"
#include "knockout/data/table.h"
#include "knockout/schema/schema.h"

namespace knockout {

/// The values that are possible in the columns of a name or pattern; an absent side is open.
struct ColumnRange {
  std::string column;
  std::optional<double> lower = {};
  std::optional<double> upper = {};
};

/// The levels of the columns of a name or pattern: categories with an order, the lowest first.
struct ColumnLevels {
  std::string column;
  std::vector<std::string> levels;
};

/// Columns that go missing together.
struct ColumnGroup {
  std::string name;
  std::vector<std::string> columns;  ///< Names and patterns.
};

/// What the user says about the columns. Column names may use `*`, and "all" means all. Everything
/// unsaid is inferred from the data.
struct SchemaOptions {
  std::vector<std::string> targets = {};  ///< Columns to predict. May be empty for `inspect`.
  std::optional<Task> task = {};          ///< For all targets; absent = found from the labels.
  std::vector<std::string> categorical = {};
  std::vector<std::string> continuous = {};
  std::vector<ColumnLevels> ordered = {};
  std::vector<std::string> ignore = {};
  std::vector<std::string> never_missing = {};
  std::vector<ColumnRange> ranges = {};
  std::vector<ColumnGroup> groups = {};
  std::vector<std::string> missing_at_random = {};  ///< Columns whose gaps are declared MCAR.
  std::optional<std::string> weight_column = {};
  UnseenCategory unseen_category = UnseenCategory::kMissing;
  ReadingOptions reading = {};  ///< What cells mean; the columns it names are filled in from here.
};

constexpr auto descriptions_of(const SchemaOptions*) {
  using S = SchemaOptions;
  constexpr std::string_view kColumns =
      "What the columns are (found from the data unless said here)";
  constexpr std::string_view kFound = "found from the data";
  constexpr std::string_view kNone = "none";
  return std::tuple(
      option(&S::targets, {.name = "targets",
                           .value = "COLS",
                           .help = "What to predict; several columns at once are possible",
                           .group = "What is learned",
                           .unsaid = kNone,
                           .flag = "target"}),
      option(&S::task, {.name = "task",
                        .help = "What kind of answer the target is",
                        .group = kColumns,
                        .unsaid = kFound}),
      option(&S::categorical, {.name = "categorical",
                               .value = "COLS",
                               .help = "Columns whose values are names, numbers or not",
                               .group = kColumns,
                               .unsaid = kFound}),
      option(&S::continuous, {.name = "continuous",
                              .value = "COLS",
                              .help = "Columns whose values are amounts",
                              .group = kColumns,
                              .unsaid = kFound}),
      option(&S::ordered, {.name = "ordered",
                           .value = "COL=LEVELS",
                           .help = "Categories with an order, the lowest first: "
                                   "severity=none,mild,severe",
                           .group = kColumns,
                           .unsaid = kNone}),
      option(&S::ignore, {.name = "ignore",
                          .value = "COLS",
                          .help = "Columns that must not be used",
                          .group = kColumns,
                          .unsaid = kNone}),
      option(&S::ranges,
             {.name = "ranges",
              .value = "COL=LOW:HIGH",
              .help = "Values that are possible: age=0:120, or income=0: with one side open",
              .group = kColumns,
              .unsaid = kNone,
              .flag = "range"}),
      option(&S::groups, {.name = "groups",
                          .value = "NAME=COLS",
                          .help = "Columns that go missing together, as one: mri=vol_*,thickness",
                          .group = kColumns,
                          .unsaid = kNone,
                          .flag = "group"}),
      option(&S::never_missing,
             {.name = "never_missing",
              .value = "COLS",
              .help = "Columns that always have a value, now and when predicting",
              .group = kColumns,
              .unsaid = kNone}),
      option(&S::missing_at_random,
             {.name = "missing_at_random",
              .value = "COLS",
              .help = "Columns whose gaps say nothing about their value or the target, or all. "
                      "Other gaps are taken as informative",
              .group = kColumns,
              .unsaid = kNone}),
      option(&S::weight_column, {.name = "weight_column",
                                 .value = "COL",
                                 .help = "Column that says how much each row counts",
                                 .group = kColumns,
                                 .unsaid = kNone,
                                 .flag = "weights,weight"}),
      option(
          &S::unseen_category,
          {.name = "unseen_category",
           .help = "What a category never seen in training is when predicting: missing, told in a "
                   "warning, or an error. Also a word where training saw numbers",
           .group = "How columns become numbers"}));
}
constexpr auto undescribed_of(const SchemaOptions*) { return std::tuple(&SchemaOptions::reading); }

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
  std::vector<Note> notes;
};

/// Infers what each column is. Deterministic; reads every row.
/// Throws ConfigError for names that match no column and options that contradict each other,
/// DataError for data that contradict an option (a value outside its declared range, a word in a
/// continuous column, a target with one class or without a single label).
///   InferredSchema inferred = infer_schema(table, {.targets = {"survived"}});
InferredSchema infer_schema(const Table& table, const SchemaOptions& options);

/// Expands column patterns ("mri_*", "all") against names, in table order. Throws ConfigError
/// naming the field `where` and near names for a pattern that matches nothing.
std::vector<std::string> expand_columns(const std::vector<std::string>& patterns,
                                        const std::vector<std::string>& names,
                                        std::string_view where);

}  // namespace knockout
