// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "knockout/impute/imputer.h"
#include "knockout/methods/network_method.h"
#include "knockout/model/model.h"

namespace knockout {

/// Fills the gaps, then asks a network that has never seen one.
class ImputedNetwork : public Predictor {
 public:
  ImputedNetwork(std::unique_ptr<Imputer> imputer, Model network)
      : imputer_(std::move(imputer)), network_(std::move(network)) {}

  const Schema& schema() const override { return network_.schema(); }
  const Model& network() const { return network_; }
  /// What a gap means is nothing an imputer looks at, so overrides change nothing.
  std::vector<TargetPrediction> predict(const Table& table, const GapOverrides& overrides = {},
                                        int threads = 0) const override;

 private:
  std::unique_ptr<Imputer> imputer_;
  Model network_;
};

/// Imputation, then the network: the common baseline, kNN, MICE and their like.
class ImputedNetworkMethod : public NamedMethod {
 public:
  ImputedNetworkMethod(MethodNames names, ImputerKind kind, ImputerOptions impute, FitOptions fit,
                       bool complete_rows_only = false)
      : NamedMethod(std::move(names)),
        kind_(kind),
        impute_(std::move(impute)),
        fit_(without_knockout(std::move(fit))),
        complete_rows_only_(complete_rows_only) {}

  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext& run) const override;
  MethodCost cost(const Table& table, const InferredSchema& inferred) const override;

 private:
  ImputerKind kind_;
  ImputerOptions impute_;
  FitOptions fit_;
  bool complete_rows_only_;
};

/// The network of the common baseline, which meets placeholders only when predicting.
class PlaceholderBaseline : public NamedMethod {
 public:
  PlaceholderBaseline(MethodNames names, FitOptions fit);
  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext& run) const override;
  MethodCost cost(const Table& table, const InferredSchema& inferred) const override;

 private:
  FitOptions fit_;
};

/// The rows in which every feature of the schema is observed.
std::vector<std::size_t> complete_rows(const Table& table, const Schema& schema);

}  // namespace knockout
