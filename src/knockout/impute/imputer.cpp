// SPDX-License-Identifier: Apache-2.0
#include "knockout/impute/imputer.h"

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/impute/input_matrix.h"
#include "knockout/impute/knn_imputer.h"
#include "knockout/impute/linear_imputer.h"
#include "knockout/impute/mean_imputer.h"
#include "knockout/impute/mice_imputer.h"
#include "knockout/impute/miss_forest_imputer.h"

namespace knockout {
namespace {

void check(const ImputerOptions& options) {
  const auto refuse = [](const char* option, auto found, const char* expected) {
    throw ConfigError(
        fmt::format("Imputation: {} is {}.\n  It must be {}.", option, found, expected));
  };
  if (options.neighbors < 1) refuse("neighbors", options.neighbors, "at least 1");
  if (options.trees < 1) refuse("trees", options.trees, "at least 1");
  if (options.max_rounds < 0) refuse("max_rounds", options.max_rounds, "0 (chosen) or more");
  if (!(options.tolerance >= 0)) refuse("tolerance", options.tolerance, "0 or more");
}

std::unique_ptr<Imputer> fit(ImputerKind kind, ImputerInputs space, const Table& train,
                             const ImputerOptions& options) {
  switch (kind) {
    case ImputerKind::kMean:
      break;
    case ImputerKind::kKnn:
      return std::make_unique<KnnImputer>(std::move(space), train, options);
    case ImputerKind::kLinear:
      return std::make_unique<LinearImputer>(std::move(space), train, options.threads);
    case ImputerKind::kMice:
      return std::make_unique<MiceImputer>(std::move(space), train, options);
    case ImputerKind::kMissForest:
      return std::make_unique<MissForestImputer>(std::move(space), train, options);
  }
  return std::make_unique<MeanImputer>(std::move(space));
}

}  // namespace

std::unique_ptr<Imputer> fit_imputer(ImputerKind kind, const Table& train, const Schema& schema,
                                     const ImputerOptions& options) {
  check(options);
  std::unique_ptr<Imputer> imputer =
      fit(kind, ImputerInputs::fit(train, schema, options.threads), train, options);
  if (options.progress) options.progress(1.0);
  return imputer;
}

std::string_view to_string(ImputerKind kind) {
  switch (kind) {
    case ImputerKind::kMean:
      return "mean";
    case ImputerKind::kKnn:
      return "knn";
    case ImputerKind::kLinear:
      return "linear";
    case ImputerKind::kMice:
      return "mice";
    case ImputerKind::kMissForest:
      break;
  }
  return "missforest";
}

}  // namespace knockout
