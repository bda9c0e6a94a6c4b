// SPDX-License-Identifier: Apache-2.0
#include "knockout/methods/network_method.h"

#include "knockout/fit/fit_cost.h"

namespace knockout {

std::unique_ptr<Predictor> NetworkMethod::fit(const Table& table, const InferredSchema& inferred,
                                              const FitContext& run) const {
  InferredSchema adapted = inferred;
  FitOptions options = options_for(options_, run);
  if (adapt_) adapt_(adapted.schema, options);
  return std::make_unique<Model>(
      knockout::fit(table, adapted, options, training_progress(run)).model);
}

MethodCost NetworkMethod::cost(const Table& table, const InferredSchema& inferred) const {
  InferredSchema adapted = inferred;
  FitOptions options = options_;
  if (adapt_) adapt_(adapted.schema, options);
  return network_cost(table, adapted, std::move(options));
}

MethodCost network_cost(const Table& table, const InferredSchema& inferred, FitOptions options) {
  options.train.threads = 1;
  const TrainingCost cost = fit_cost(table, inferred, options);
  return {.memory_bytes = cost.memory_bytes, .text = cost.text()};
}

FitOptions options_for(const FitOptions& options, const FitContext& run) {
  FitOptions changed = options;
  changed.train.seed = run.seed;
  changed.train.threads = run.threads;
  changed.train.stop = run.stop;
  return changed;
}

ProgressFunction training_progress(const FitContext& run, double begin, double end) {
  if (!run.progress) return {};
  return [report = run.progress, begin, end](const TrainProgress& progress) {
    report(begin + (end - begin) * progress.share_done);
  };
}

FitOptions without_knockout(FitOptions options) {
  options.knockout = {.rate = 0.0};
  options.expect_missing.reset();
  return options;
}

void set_training_gaps(Schema& schema, GapMeaning from, GapMeaning to) {
  for (Feature& feature : schema.features) {
    if (feature.training_gaps == from) feature.training_gaps = to;
  }
}

}  // namespace knockout
