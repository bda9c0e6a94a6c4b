// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knockout/encode/encoder.h"
#include "knockout/mask/plan.h"
#include "knockout/model/model.h"
#include "knockout/networks/trainer.h"
#include "knockout/schema/infer.h"

namespace knockout {

/// Everything a fit can be told. Every field has a usable default but the target.
struct FitOptions {
  SchemaOptions schema;
  EncodeOptions encode;
  KnockoutOptions knockout;
  std::optional<Table>
      expect_missing;         ///< Rows that show how data go missing where the model will be used.
  std::string class_weights;  ///< "", "balanced" or "yes=3,no=1".
  TrainOptions train;
};

/// What a person should hear about a fit.
struct FitReport {
  InferredSchema inferred;
  std::vector<std::string> notes;  ///< From the encoder: moved placeholders, clipped columns.
  std::size_t rows = 0, rows_without_label = 0;
  TrainOptions train;  ///< As resolved.
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
FitResult fit(const Table& table, const FitOptions& options, const ProgressFunction& progress = {});

/// The same for a table whose columns mean what `inferred` says; `options.schema` is not looked at.
FitResult fit(const Table& table, const InferredSchema& inferred, const FitOptions& options,
              const ProgressFunction& progress = {});

}  // namespace knockout
