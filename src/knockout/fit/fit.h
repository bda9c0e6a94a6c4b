// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "knockout/base/limits.h"
#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/model.h"
#include "knockout/networks/train_options.h"
#include "knockout/networks/train_progress.h"
#include "knockout/schema/infer.h"

namespace knockout {

struct FitReport;

/// Everything a fit can be told. Every field has a usable default but the target.
struct FitOptions {
  SchemaOptions schema = {};
  EncodeOptions encode = {};
  KnockoutOptions knockout = {};
  /// Rows that show how data go missing where the model will be used.
  std::optional<Table> expect_missing = {};
  ClassWeights class_weights = {};
  bool raw_targets = false;  ///< Numbers are learned as they are; otherwise standardised.
  TrainOptions train = {};
  Limits limits = {};  ///< What a training may take.
  /// Called once, from the caller's thread, when the table is understood and before training
  /// starts: what a person should hear in time. The report lacks what only training tells. What it
  /// throws ends the fit.
  std::function<void(const FitReport&)> on_prepared = {};
};

/// Those that are not in a struct of their own. `expect_missing` is a table, not a value.
constexpr auto descriptions_of(const FitOptions*) {
  return std::tuple(
      option(&FitOptions::class_weights,
             {.name = "class_weights",
              .value = "WEIGHTS",
              .help = "How much each class counts in training: equal, balanced, or yes=3,no=1",
              .group = "What is learned",
              .unsaid = "equal",
              .range = {.low = 0, .high = 1e9}}),
      option(&FitOptions::raw_targets,
             {.name = "raw_targets",
              .help = "Learn numbers as they are. By default they are standardised, so that one "
                      "learning rate suits every unit of measure",
              .group = "What is learned"}));
}

/// What networks did on rows that they had not learned from, with so many inputs missing.
struct HeldOutLevel {
  /// One target: sums over the judged rows that have a label. Rows count alike, whatever they
  /// weighed in training.
  struct Score {
    std::size_t rows = 0;
    double loss = 0;    ///< Squared errors in the target's units, or log losses.
    double errors = 0;  ///< Classes: rows whose most probable class was wrong.
  };
  std::size_t missing = 0;  ///< Inputs, a group counting as one: gaps of the row and knocked out.
  std::vector<Score> targets;  ///< One per target.
};

/// What a person should hear about a fit.
struct FitReport {
  InferredSchema inferred;
  std::vector<std::string> notes;  ///< From the encoder: moved placeholders, clipped columns.
  std::size_t rows = 0, rows_without_label = 0;
  ResolvedTraining train;
  std::string cost;  ///< In words, before it starts; "" = nothing that is worth a word.
  std::vector<NetworkReport> members;
  std::vector<HeldOutLevel> held_out;  ///< How good it was, by the number of missing inputs.
  std::uint64_t resumed_steps = 0;     ///< Of all networks, taken before an interruption.
  double seconds = 0;
};

struct FitResult {
  Model model;
  FitReport report;
};

/// From a table with gaps to a model: infers the schema, encodes, trains.
/// Deterministic in table and options, whatever the number of threads.
///   FitResult fitted = fit(read_csv("train.csv"), {.schema = {.targets = {"y"}}});
///   fitted.model.save("model.safetensors");
/// Throws ConfigError when the training would take more memory than `options.limits` allow, before
/// it takes any, and Cancelled when `options.train.stop` asks for it: before anything is done,
/// while the table is prepared, or at any step.
FitResult fit(const Table& table, const FitOptions& options, const ProgressFunction& progress = {});

/// The same for one target, in the place of those that `options` name.
///   const Model model = fit(table, "y").model;
FitResult fit(const Table& table, std::string_view target, FitOptions options = {},
              const ProgressFunction& progress = {});

/// The same for a table whose columns mean what `inferred` says, as understand() gives both;
/// `options.schema` is not looked at.
FitResult fit(const Table& table, const InferredSchema& inferred, const FitOptions& options,
              const ProgressFunction& progress = {});

}  // namespace knockout
