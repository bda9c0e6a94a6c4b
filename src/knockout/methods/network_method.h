// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "knockout/fit/fit.h"
#include "knockout/model/method.h"

namespace knockout {

/// What a method is called.
struct MethodNames {
  std::string name, label, description;
};

/// A method's names, kept by all of them alike.
class NamedMethod : public Method {
 public:
  explicit NamedMethod(MethodNames names) : names_(std::move(names)) {}
  std::string name() const override { return names_.name; }
  std::string label() const override { return names_.label; }
  std::string description() const override { return names_.description; }

 private:
  MethodNames names_;
};

/// The native network, trained with gaps in its inputs: Knockout and the variants that differ from
/// it only in options.
class NetworkMethod : public NamedMethod {
 public:
  /// Changes what the variant changes once the columns are known; may be empty.
  using Adapt = std::function<void(Schema&, FitOptions&)>;
  NetworkMethod(MethodNames names, FitOptions options, Adapt adapt = {})
      : NamedMethod(std::move(names)), options_(std::move(options)), adapt_(std::move(adapt)) {}

  std::unique_ptr<Predictor> fit(const Table& table, const InferredSchema& inferred,
                                 const FitContext& run) const override;
  MethodCost cost(const Table& table, const InferredSchema& inferred) const override;

 private:
  FitOptions options_;
  Adapt adapt_;
};

/// What training a network takes on one thread.
MethodCost network_cost(const Table& table, const InferredSchema& inferred, FitOptions options);
/// The options of one run: its seed, its threads.
FitOptions options_for(const FitOptions& options, const FitContext& run);
/// A run's progress as the trainer reports it, from `begin` to `end` of the whole.
ProgressFunction training_progress(const FitContext& run, double begin = 0.0, double end = 1.0);
/// The same network trained without knocking anything out.
FitOptions without_knockout(FitOptions options);
/// The gaps of every column count as chance, or as none at all.
void set_training_gaps(Schema& schema, GapMeaning from, GapMeaning to);

}  // namespace knockout
