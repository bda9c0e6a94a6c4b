// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/architecture.h"

#include "knockout/networks/activation.h"
#include "knockout/networks/dropout.h"
#include "knockout/networks/embedding.h"
#include "knockout/networks/learned_placeholders.h"
#include "knockout/networks/linear.h"
#include "knockout/networks/residual.h"

namespace knockout {
namespace {

/// Appends layers, keeping count of widths and numbers.
class LayerBuilder {
 public:
  explicit LayerBuilder(int inputs) : width_(inputs) {}

  void place(const std::vector<GapInput>& gaps) {
    if (!gaps.empty()) add(std::make_shared<LearnedPlaceholders>(width_, gaps));
  }
  void embed(const EmbeddedInput& input) {
    add(std::make_shared<Embedding>(width_, codes_++, input.column, input.rows, input.dimension));
  }
  void linear(int outputs) { add(std::make_shared<Linear>(linear_layers_++, width_, outputs)); }
  void relu() { add(std::make_shared<Relu>(width_)); }
  /// Belongs to the linear layer before it.
  void dropout(double rate) {
    if (rate > 0.0) add(std::make_shared<Dropout>(linear_layers_ - 1, width_, rate));
  }
  void residual(int inner, double dropout) {
    add(std::make_shared<Residual>(linear_layers_, width_, inner, dropout));
    linear_layers_ += 2;
  }

  std::vector<LayerPointer> take() { return std::move(layers_); }

 private:
  void add(LayerPointer layer) {
    width_ = layer->outputs();
    layers_.push_back(std::move(layer));
  }

  int width_;
  int codes_ = 0, linear_layers_ = 0;
  std::vector<LayerPointer> layers_;
};

void add_perceptron(const NetworkPlan& plan, LayerBuilder& builder) {
  for (const int width : plan.hidden) {
    builder.linear(width);
    builder.relu();
    builder.dropout(plan.dropout);
  }
}

void add_residual_blocks(const NetworkPlan& plan, LayerBuilder& builder) {
  if (plan.hidden.empty()) return;
  builder.linear(plan.hidden.front());
  for (const int inner : plan.hidden) builder.residual(inner, plan.dropout);
  builder.relu();
}

}  // namespace

std::vector<LayerPointer> build_layers(const NetworkPlan& plan) {
  LayerBuilder builder(plan.dense_inputs);
  builder.place(plan.learned_placeholders);
  for (const EmbeddedInput& input : plan.embedded) builder.embed(input);
  switch (plan.architecture) {
    case Architecture::kMlp:
      add_perceptron(plan, builder);
      break;
    case Architecture::kResidual:
      add_residual_blocks(plan, builder);
      break;
  }
  builder.linear(plan.outputs);
  return builder.take();
}

}  // namespace knockout
