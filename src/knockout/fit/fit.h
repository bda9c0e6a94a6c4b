// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/model.h"
#include "knockout/networks/train_options.h"
#include "knockout/networks/train_progress.h"
#include "knockout/schema/infer.h"

namespace knockout {

/// Everything a fit can be told. Every field has a usable default but the target.
struct FitOptions {
  SchemaOptions schema = {};
  EncodeOptions encode = {};
  KnockoutOptions knockout = {};
  /// Rows that show how data go missing where the model will be used.
  std::optional<Table> expect_missing = {};
  ClassWeights class_weights = {};
  TrainOptions train = {};
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
              .range = {.low = 0, .high = 1e9}}));
}

/// What a person should hear about a fit.
struct FitReport {
  InferredSchema inferred;
  std::vector<std::string> notes;  ///< From the encoder: moved placeholders, clipped columns.
  std::size_t rows = 0, rows_without_label = 0;
  ResolvedTraining train;
  std::vector<NetworkReport> members;
  std::uint64_t resumed_steps = 0;  ///< Of all networks, taken before an interruption.
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
/// Throws Cancelled when `options.train.stop` asks for it: before anything is done, while the table
/// is prepared, or at any step.
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
