// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/activation.h"

#include <nlohmann/json.hpp>

#include "knockout/kernels/elementwise.h"
#include "knockout/schema/json_fields.h"

namespace knockout {

LayerPointer Relu::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "a ReLU layer", {"kind", "width"});
  return std::make_shared<Relu>(fields.integer("width", 1, kWidestLayer));
}

nlohmann::json Relu::to_json() const { return {{"kind", kKind}, {"width", width_}}; }

void Relu::forward(const float* /*parameters*/, const LayerBatch& batch,
                   const PassContext& /*context*/) const {
  relu(batch.output.row(batch.rows.begin), batch.rows.count(), width_, batch.output.stride);
}

void Relu::backward(const float* /*parameters*/, const LayerBatch& batch,
                    const PassContext& /*context*/) const {
  const int columns = width_ - batch.gradient_from;
  if (columns <= 0) return;
  relu_backward(batch.output.row(batch.rows.begin) + batch.gradient_from, batch.output.stride,
                batch.output_gradient.row(batch.rows.begin) + batch.gradient_from,
                batch.output_gradient.stride, batch.rows.count(), columns);
}

}  // namespace knockout
