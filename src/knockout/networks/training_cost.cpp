// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/training_cost.h"
#include "knockout/networks/learned_placeholders.h"

#include <algorithm>

#include <fmt/format.h>

#include "knockout/base/error.h"
#include "knockout/base/parallel.h"
#include "knockout/base/wording.h"
#include "knockout/model/held_out.h"
#include "knockout/networks/layer_stack.h"

namespace knockout {
namespace {

constexpr double kNumber = sizeof(float);

/// Of one network in training: its weights, their average, the best, the gradient and two moments.
constexpr double kCopiesInTraining = 6;

double values_per_row(const LayerStack& layers) {
  double values = layers.input_columns();
  for (const LayerPointer& layer : layers.layers()) values += layer->outputs();
  return 2 * values;  // and their gradients
}

}  // namespace

double TrainingCost::operations() const {
  // Forward once, backward twice.
  return 3.0 * static_cast<double>(parameters) * static_cast<double>(batch_rows) *
         static_cast<double>(steps) * static_cast<double>(networks);
}

std::string TrainingCost::text() const {
  return fmt::format(
      "{} of {}, at most {} of {} each: about {} of memory, and {} for the model file",
      plural(networks, "network"), plural(parameters, "weight"), plural(steps, "step"),
      plural(batch_rows, "row"), bytes_text(memory_bytes), bytes_text(model_bytes));
}

NetworkPlan plan_network(const std::vector<Head>& heads, const Encoder& encoder,
                         const ResolvedTraining& options) {
  NetworkPlan plan{.architecture = options.architecture,
                   .dense_inputs = encoder.width(),
                   .hidden = options.hidden,
                   .outputs = 0,
                   .dropout = options.dropout};
  for (const EmbeddedColumn& column : encoder.embedded()) {
    plan.embedded.push_back({.column = column.name,
                             .rows = column.table_rows(),
                             .dimension = options.embedding_dimension});
  }
  if (options.learned_placeholders) plan.learned_placeholders = gap_inputs_of(encoder);
  for (const Head& head : heads) plan.outputs += head.output_width;
  return plan;
}

TrainingCost training_cost(std::size_t rows, const std::vector<Head>& heads, const Encoder& encoder,
                           const ResolvedTraining& options) {
  const LayerStack layers(build_layers(plan_network(heads, encoder, options)));
  TrainingCost cost{.networks = static_cast<std::uint64_t>(options.networks),
                    .parameters = layers.parameter_count(),
                    .steps = static_cast<std::uint64_t>(options.steps),
                    .batch_rows = static_cast<std::uint64_t>(options.batch_rows)};
  cost.at_a_time =
      std::min(cost.networks, static_cast<std::uint64_t>(resolve_threads(options.threads)));
  const double per_row =
      static_cast<double>(encoder.width()) + static_cast<double>(encoder.embedded().size());
  const double all_rows = static_cast<double>(rows);
  const double examples = all_rows * (per_row + 2 * static_cast<double>(heads.size())) * kNumber;
  const double weights = static_cast<double>(cost.parameters) * kNumber;
  const auto held_out = static_cast<std::size_t>(
      std::min(all_rows * options.validation_share, static_cast<double>(kMaxHeldOutRows)));
  const double judged =
      held_out == 0 ? 0 : static_cast<double>(held_out * masks_per_row(held_out, encoder.width()));
  const double under_way = kCopiesInTraining * weights +
                           options.batch_rows * values_per_row(layers) * kNumber +
                           judged * per_row * kNumber + all_rows * kNumber;
  cost.model_bytes = static_cast<double>(cost.networks) * weights;
  // Once all are trained they are written: as tensors, then as the bytes of the file.
  cost.memory_bytes =
      examples + cost.model_bytes +
      std::max(static_cast<double>(cost.at_a_time) * under_way, 2 * cost.model_bytes);
  return cost;
}

void check_cost(const TrainingCost& cost, const Limits& limits) {
  if (cost.memory_bytes <= static_cast<double>(limits.memory_bytes())) return;
  throw ConfigError(fmt::format(
      "this training would take about {} of memory, where {} are allowed: {} of {}, {} at a time.\n"
      "  Take fewer {}, fewer units ({}), fewer columns or rows. If the machine can take it:  {}",
      bytes_text(cost.memory_bytes), bytes_text(static_cast<double>(limits.memory_bytes())),
      plural(cost.networks, "network"), plural(cost.parameters, "weight"), cost.at_a_time,
      field("networks"), field("hidden"), field("max_memory", gigabytes_for(cost.memory_bytes))));
}

}  // namespace knockout
