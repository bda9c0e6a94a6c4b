// SPDX-License-Identifier: Apache-2.0
#include "experiments/causes.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "knockout/methods/network_method.h"

namespace knockout::experiments {

Table scale_inputs(const Table& table, const GaussianProblem& problem, InputScale scale) {
  std::vector<Column> columns;
  for (std::size_t c = 0; c < table.column_count(); ++c) {
    const Column& column = table.column(c);
    const auto at = static_cast<Eigen::Index>(c);
    if (at >= problem.inputs()) {
      columns.push_back(column);
      continue;
    }
    const double variance = problem.covariance(at, at);
    const double spread = scale == InputScale::kVariance ? variance : std::sqrt(variance);
    std::vector<double> numbers(table.rows(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (column.observed(row)) numbers[row] = (column.number(row) - problem.mean(at)) / spread;
    }
    columns.push_back(Column::numbers(column.name(), std::move(numbers)));
  }
  return Table(std::move(columns), table.source());
}

std::vector<Cause> classification_causes() {
  return {{.name = "paper", .label = "the paper's recipe"},
          {.name = "cosine", .label = "rate falls to 0", .recipe = {.schedule = Schedule::kCosine}},
          {.name = "averaged", .label = "averaged weights", .recipe = {.averaging = 0.99}},
          {.name = "batch-256", .label = "256 rows a step", .recipe = {.batch_rows = 256}},
          {.name = "mask-per-step",
           .label = "one mask for all rows of a step",
           .recipe = {.mask_per = MaskPer::kStep}},
          {.name = "ours",
           .label = "256 rows, rate falls, averaged",
           .recipe = {.batch_rows = 256, .schedule = Schedule::kCosine, .averaging = 0.99}}};
}

std::vector<Cause> regression_causes() {
  return {{.name = "paper", .label = "the paper's recipe"},
          {.name = "deviation",
           .label = "true mean and standard deviation",
           .scale = InputScale::kDeviation},
          {.name = "variance",
           .label = "true mean, and the variance for the deviation",
           .scale = InputScale::kVariance},
          {.name = "standardised", .label = "y standardised", .recipe = {.raw_targets = false}}};
}

std::shared_ptr<const Method> knockout_with(const Cause& cause, bool forget_reasons) {
  FitOptions fit = fit_options(cause.recipe);
  if (cause.scale != InputScale::kTraining) fit.encode.scaling = Scaling::kNone;
  NetworkMethod::Adapt adapt;
  if (forget_reasons) {
    adapt = [](Schema& schema, FitOptions&) {
      set_training_gaps(schema, GapMeaning::kForAReason, GapMeaning::kAtRandom);
    };
  }
  return std::make_shared<NetworkMethod>(
      MethodNames{cause.name + (forget_reasons ? "-minus" : ""),
                  fmt::format("Knockout{}: {}", forget_reasons ? "-" : "", cause.label),
                  cause.label},
      fit, adapt);
}

}  // namespace knockout::experiments
