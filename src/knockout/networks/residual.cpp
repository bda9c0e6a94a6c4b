// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/residual.h"

#include <nlohmann/json.hpp>

#include "knockout/kernels/elementwise.h"
#include "knockout/networks/activation.h"
#include "knockout/networks/dropout.h"
#include "knockout/networks/linear.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

std::vector<LayerPointer> branch_layers(int number, int width, int inner, double dropout) {
  std::vector<LayerPointer> layers = {std::make_shared<Linear>(number, width, inner),
                                      std::make_shared<Relu>(inner)};
  if (dropout > 0) layers.push_back(std::make_shared<Dropout>(number, inner, dropout));
  layers.push_back(std::make_shared<Linear>(number + 1, inner, width));
  return layers;
}

}  // namespace

Residual::Residual(int number, int width, int inner, double dropout)
    : number_(number),
      width_(width),
      inner_(inner),
      dropout_(dropout),
      branch_(branch_layers(number, width, inner, dropout)) {}

LayerPointer Residual::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "a residual block",
                          {"kind", "number", "width", "inner", "dropout"});
  const double dropout = fields.number("dropout");
  if (!(dropout >= 0.0 && dropout < 1.0)) fields.fail("\"dropout\" is not in [0, 1)");
  return std::make_shared<Residual>(fields.integer("number", 0, 255),
                                    fields.integer("width", 1, kWidestLayer),
                                    fields.integer("inner", 1, kWidestLayer), dropout);
}

nlohmann::json Residual::to_json() const {
  return {{"kind", kKind},
          {"number", number_},
          {"width", width_},
          {"inner", inner_},
          {"dropout", dropout_}};
}

void Residual::initialize(const Random& random, float* parameters) const {
  branch_.initialize(random, parameters);
}

std::unique_ptr<LayerMemory> Residual::make_memory(const MemoryRequest& request) const {
  return branch_.make_memory(request);
}

void Residual::forward(const float* parameters, const LayerBatch& batch,
                       const PassContext& context) const {
  branch_.forward(parameters, batch, context);
  const int first = batch.rows.begin;
  add_rows(batch.input.row(first), batch.input.stride, batch.output.row(first), batch.output.stride,
           batch.rows.count(), width_);
}

void Residual::backward(const float* parameters, const LayerBatch& batch,
                        const PassContext& context) const {
  branch_.backward(parameters, batch, context);
  const int first = batch.rows.begin, from = batch.gradient_from;
  if (from >= width_) return;
  add_rows(batch.output_gradient.row(first) + from, batch.output_gradient.stride,
           batch.input_gradient.row(first) + from, batch.input_gradient.stride, batch.rows.count(),
           width_ - from);
}

void Residual::gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                              const PassContext& context, float* gradient) const {
  branch_.gradient_block(block, batch, context, gradient);
}

}  // namespace knockout
