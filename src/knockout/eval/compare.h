// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "knockout/base/limits.h"
#include "knockout/eval/metrics.h"
#include "knockout/mask/ampute.h"
#include "knockout/model/method.h"

namespace knockout {

/// Nothing is removed.
struct RemoveNothing {};
/// Single cells go missing.
struct RemoveCells {
  Mechanism mechanism = Mechanism::kMcar;
  double rate = 0.3;  ///< From 0 to below 1.
};
/// Each group (or lone column) goes missing as a whole, at this rate.
struct RemoveGroups {
  double rate = 0.3;  ///< From 0 to below 1.
};
/// How cells are removed from a part of the data before a method sees it.
using RemovalRule = std::variant<RemoveNothing, RemoveCells, RemoveGroups>;

std::string to_string(const RemovalRule& removal);  ///< "none", "mcar:0.3", "groups:0.5".

/// The table with cells removed from the inputs of the schema. A pure function of its arguments.
/// Calls with the same `mechanism_seed` remove by the same rule: which columns drive the gaps,
/// which words are the large ones.
Table remove_cells(const Table& table, const Schema& schema, const RemovalRule& removal,
                   std::uint64_t seed, std::uint64_t mechanism_seed = 0);

struct Comparison;

struct CompareOptions {
  SchemaOptions schema;
  int folds = 5;
  int repeats = 1;  ///< Times that the rows are dealt into folds anew.
  RemovalRule training = {};
  std::vector<RemovalRule> testing;  ///< Every trained model is tested under each.
  std::uint64_t seed = 0;
  int threads = 0;  ///< Trainings that run at once, each on one thread.
  /// May be called from any thread, one at a time.
  std::function<void(double share_done, const std::string& doing)> progress = {};
  Limits limits = {};  ///< What the trainings and their answers may take together.
  /// Called once, from the caller's thread, before any training starts: what the columns are, as
  /// the whole table shows them, and the result as far as it is known: warnings and cost.
  std::function<void(const InferredSchema& inferred, const Comparison& begun)> on_prepared = {};
};

constexpr auto descriptions_of(const CompareOptions*) {
  using C = CompareOptions;
  constexpr std::string_view kWhat = "What is compared";
  return std::tuple(
      option(&C::testing,
             {.name = "testing",
              .value = "LIST",
              .help = "What is removed from the test part, each tried with every model: none, "
                      "mcar:RATE, mar:RATE, mnar:RATE, groups:RATE",
              .group = kWhat,
              .unsaid = "none,mcar:0.1,mcar:0.3,mcar:0.5",
              .flag = "ampute",
              .learned = Learned::kNo}),
      option(&C::training, {.name = "training",
                            .value = "HOW",
                            .help = "What is removed from the training part",
                            .group = kWhat,
                            .unsaid = "none",
                            .flag = "ampute-training",
                            .learned = Learned::kNo}),
      option(&C::folds, {.name = "folds",
                         .value = "N",
                         .help = "Parts of the rows, each tested once",
                         .group = kWhat,
                         .range = {.low = 2},
                         .learned = Learned::kNo}),
      option(&C::repeats, {.name = "repeats",
                           .value = "N",
                           .help = "Times that rows are dealt into folds",
                           .group = kWhat,
                           .range = {.low = 1},
                           .learned = Learned::kNo}),
      option(&C::seed, {.name = "seed",
                        .value = "N",
                        .help = "Of the folds and of what is removed",
                        .learned = Learned::kNo}),
      option(&C::threads, {.name = "threads",
                           .value = "N",
                           .help = "Trainings that run at once; 0 = one per core",
                           .range = {.low = 0},
                           .learned = Learned::kNo}));
}
constexpr auto undescribed_of(const CompareOptions*) {
  using C = CompareOptions;
  return std::tuple(&C::schema, &C::limits, &C::progress, &C::on_prepared);
}

/// One method under one removal of test cells. Every row is tested once per repeat, by a model that
/// never saw it; scores pool the rows of all folds.
struct MethodScore {
  /// RMSE over the deviation of the target, or log loss over its entropy; the mean over targets. 1
  /// means "knows only the base rate". NaN when the method failed.
  Estimate relative_loss;
  /// The same minus that of the first method, on the same rows: negative = better than it.
  Estimate difference;
  double rank = 0;                           ///< 1 = lowest loss; ties share the mean rank.
  std::vector<std::vector<Metric>> metrics;  ///< Per target.
  std::vector<std::vector<Estimate>> estimates;
};

struct Comparison {
  struct MethodInfo {
    std::string name, label, description;
    double fit_seconds = 0, predict_seconds = 0;  ///< Mean per fold, on one thread.
    std::string failure;                          ///< Why it could not be used, or "".
  };
  std::vector<Target> targets;
  std::size_t rows = 0;  ///< With a label.
  int folds = 0, repeats = 0;
  RemovalRule training;  ///< From the training part.
  std::vector<MethodInfo> methods;
  std::vector<RemovalRule> testing;              ///< From the test part.
  std::vector<std::vector<MethodScore>> scores;  ///< [testing][method].
  /// What the notes on the table tell, then what only a comparison has to tell.
  std::vector<std::string> warnings;
  std::string cost;  ///< What it takes, in words, before it starts.
  double seconds = 0;
};

/// Cross-validates methods on the same folds and the same removed cells. The first method is the
/// one that the others are compared with. A method that cannot use the data is named with its
/// reason, and the others go on. Deterministic but for the times. Throws ConfigError for impossible
/// options and for a comparison that takes more memory than `options.limits` allow, before anything
/// is trained; DataError for data that no method could use.
Comparison compare(const Table& table, const std::vector<std::shared_ptr<const Method>>& methods,
                   const CompareOptions& options);

nlohmann::ordered_json to_json(const Comparison& comparison);

}  // namespace knockout
