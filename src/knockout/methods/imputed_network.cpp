// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/imputed_network.h"

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/stop.h"
#include "knockout/base/wording.h"

namespace knockout {
namespace {

constexpr double kImputingShare = 0.5;  ///< Of the progress shown; nobody knows beforehand.
constexpr std::size_t kFewestCompleteRows = 20;

/// A schema as it is once every gap is filled.
InferredSchema without_gaps(InferredSchema inferred) {
  for (Feature& feature : inferred.schema.features) feature.training_gaps = GapMeaning::kNone;
  return inferred;
}

std::unique_ptr<Imputer> fit_imputer_for(ImputerKind kind, ImputerOptions options,
                                         const Table& table, const Schema& schema,
                                         const FitContext& run) {
  const StopScope scope(run.stop);
  options.seed = run.seed;
  options.threads = run.threads;
  if (run.progress) {
    options.progress = [&run](double share) { run.progress(kImputingShare * share); };
  }
  return fit_imputer(kind, table, schema, options);
}

}  // namespace

std::vector<std::size_t> complete_rows(const Table& table, const Schema& schema) {
  std::vector<const Column*> columns;
  for (const Feature& feature : schema.features) columns.push_back(&table.at(feature.name));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    bool complete = true;
    for (const Column* column : columns) {
      complete &= column->observed(row);
    }
    if (complete) rows.push_back(row);
  }
  return rows;
}

std::vector<TargetPrediction> ImputedNetwork::predict(const Table& table, const GapOverrides&,
                                                      int threads) const {
  return network_.predict(imputer_->apply(table, threads), {}, threads);
}

std::unique_ptr<Predictor> ImputedNetworkMethod::fit(const Table& table,
                                                     const InferredSchema& inferred,
                                                     const FitContext& run) const {
  Table training = table;
  if (complete_rows_only_) {
    const std::vector<std::size_t> rows = complete_rows(table, inferred.schema);
    if (rows.size() < kFewestCompleteRows) {
      throw DataError(fmt::format("{} of {} {} no gap: too few to learn from complete rows.",
                                  rows.size(), plural(table.rows(), "row"),
                                  agreeing(rows.size(), "has", "have")));
    }
    training = table.take_rows(rows);
  }
  auto imputer = fit_imputer_for(kind_, impute_, training, inferred.schema, run);
  Model network = knockout::fit(imputer->apply(training, run.threads), without_gaps(inferred),
                                options_for(fit_, run), training_progress(run, kImputingShare))
                      .model;
  return std::make_unique<ImputedNetwork>(std::move(imputer), std::move(network));
}

MethodCost ImputedNetworkMethod::cost(const Table& table, const InferredSchema& inferred) const {
  return network_cost(table, without_gaps(inferred), fit_);
}

PlaceholderBaseline::PlaceholderBaseline(MethodNames names, FitOptions fit)
    : NamedMethod(std::move(names)), fit_(without_knockout(std::move(fit))) {
  // On an input of its own a gap would only meet weights that training never touched; the paper's
  // baseline puts the placeholder on the value's axis.
  fit_.encode.inline_placeholders = true;
}

std::unique_ptr<Predictor> PlaceholderBaseline::fit(const Table& table,
                                                    const InferredSchema& inferred,
                                                    const FitContext& run) const {
  const auto imputer = fit_imputer_for(ImputerKind::kMean, {}, table, inferred.schema, run);
  return std::make_unique<Model>(knockout::fit(imputer->apply(table, run.threads),
                                               without_gaps(inferred), options_for(fit_, run),
                                               training_progress(run))
                                     .model);
}

MethodCost PlaceholderBaseline::cost(const Table& table, const InferredSchema& inferred) const {
  return network_cost(table, without_gaps(inferred), fit_);
}

}  // namespace knockout
