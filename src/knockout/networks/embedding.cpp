// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/embedding.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

/// Random numbers of tables are counted from here on, those of other layers below.
constexpr std::uint64_t kFirstTable = 1u << 20;

std::int32_t code_at(const PassContext& context, int row, int code) {
  return context.codes[static_cast<std::size_t>(row) * context.code_count + code];
}

}  // namespace

Embedding::Embedding(int inputs, int code, std::string column, int rows, int dimension)
    : inputs_(inputs),
      code_(code),
      column_(std::move(column)),
      rows_(rows),
      dimension_(dimension) {}

LayerPointer Embedding::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "an embedding",
                          {"kind", "inputs", "code", "column", "rows", "dimension"});
  constexpr int kMostCodes = 1 << 30;
  return std::make_shared<Embedding>(fields.integer("inputs", 0, kWidestLayer),
                                     fields.integer("code", 0, kWidestLayer), fields.text("column"),
                                     fields.integer("rows", 1, kMostCodes),
                                     fields.integer("dimension", 1, kWidestLayer));
}

nlohmann::json Embedding::to_json() const {
  return {{"kind", kKind},     {"inputs", inputs_}, {"code", code_},
          {"column", column_}, {"rows", rows_},     {"dimension", dimension_}};
}

std::size_t Embedding::parameter_count() const {
  return static_cast<std::size_t>(rows_) * dimension_;
}

void Embedding::initialize(const Random& random, float* parameters) const {
  for (int r = 0; r < rows_; ++r) {
    for (int d = 0; d < dimension_; ++d) {
      *parameters++ = static_cast<float>(random.normal(kFirstTable + code_, r, d));
    }
  }
}

std::vector<ParameterTensor> Embedding::tensors() const {
  return {{.name = "embedding." + column_,
           .shape = {rows_, dimension_},
           .offset = 0,
           .count = parameter_count()}};
}

std::vector<ParameterBlock> Embedding::blocks() const {
  return {{.offset = 0, .count = parameter_count()}};
}

std::vector<CodeInput> Embedding::code_inputs() const {
  return {{.code = code_, .values = rows_, .column = column_}};
}

int Embedding::output_gradient_from(int gradient_from) const {
  return std::min(gradient_from, inputs_);
}

void Embedding::forward(const float* parameters, const LayerBatch& batch,
                        const PassContext& context) const {
  for (int r = batch.rows.begin; r < batch.rows.end; ++r) {
    const float* vector =
        parameters + static_cast<std::size_t>(code_at(context, r, code_)) * dimension_;
    std::copy_n(vector, dimension_, batch.output.row(r) + inputs_);
  }
}

void Embedding::gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                               const PassContext& context, float* gradient) const {
  float* out = gradient + block.offset;
  std::fill_n(out, block.count, 0.0f);
  for (int r = batch.rows.begin; r < batch.rows.end; ++r) {
    const float* delta = batch.output_gradient.row(r) + inputs_;
    float* row = out + static_cast<std::size_t>(code_at(context, r, code_)) * dimension_;
    for (int d = 0; d < dimension_; ++d) row[d] += delta[d];
  }
}

}  // namespace knockout
