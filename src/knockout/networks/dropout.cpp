// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/dropout.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <nlohmann/json.hpp>

#include "knockout/kernels/elementwise.h"
#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

/// A random byte per value, rows one after the other.
struct DropoutMemory final : LayerMemory {
  std::vector<std::uint8_t> bytes;
};

/// Whole words of random bits, of which the last may be cut off.
void fill_dropout_row(const PassContext& context, int number, int row,
                      std::span<std::uint8_t> bytes) {
  std::uint32_t words[64];
  constexpr std::size_t kBytes = sizeof(words);
  for (std::size_t first = 0; first < bytes.size(); first += kBytes) {
    const std::size_t length = std::min(kBytes, bytes.size() - first);
    const std::uint64_t counter =
        (context.step << 20) | (static_cast<std::uint64_t>(number) << 12) | (first / kBytes);
    context.dropout->fill_bits(counter, context.first_row + row,
                               std::span(words, (length + 3) / 4));
    std::memcpy(bytes.data() + first, words, length);
  }
}

}  // namespace

Dropout::Dropout(int number, int width, double rate)
    : number_(number),
      width_(width),
      rate_(rate),
      drop_below_(static_cast<std::uint8_t>(std::min(255L, std::lround(rate * 256.0)))),
      keep_scale_(256.0f / static_cast<float>(256 - drop_below_)) {}

LayerPointer Dropout::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "a dropout layer", {"kind", "number", "width", "rate"});
  const double rate = fields.number("rate");
  if (!(rate >= 0.0 && rate < 1.0)) fields.fail("\"rate\" is not in [0, 1)");
  return std::make_shared<Dropout>(fields.integer("number", 0, 255),
                                   fields.integer("width", 1, kWidestLayer), rate);
}

nlohmann::json Dropout::to_json() const {
  return {{"kind", kKind}, {"number", number_}, {"width", width_}, {"rate", rate_}};
}

std::unique_ptr<LayerMemory> Dropout::make_memory(const MemoryRequest& request) const {
  if (!request.trains) return nullptr;
  auto memory = std::make_unique<DropoutMemory>();
  memory->bytes.resize(static_cast<std::size_t>(request.rows) * width_);
  return memory;
}

void Dropout::forward(const float* /*parameters*/, const LayerBatch& batch,
                      const PassContext& context) const {
  if (context.dropout == nullptr) return;
  const auto width = static_cast<std::size_t>(width_);
  std::uint8_t* bytes =
      static_cast<DropoutMemory*>(batch.memory)->bytes.data() + batch.rows.begin * width;
  for (int r = 0; r < batch.rows.count(); ++r) {
    fill_dropout_row(context, number_, batch.rows.begin + r, {bytes + r * width, width});
  }
  drop(batch.output.row(batch.rows.begin), batch.rows.count(), width, batch.output.stride, bytes,
       width, drop_below_, keep_scale_);
}

void Dropout::backward(const float* /*parameters*/, const LayerBatch& batch,
                       const PassContext& context) const {
  const int columns = width_ - batch.gradient_from;
  if (context.dropout == nullptr || columns <= 0) return;
  const auto width = static_cast<std::size_t>(width_);
  const std::uint8_t* bytes = static_cast<const DropoutMemory*>(batch.memory)->bytes.data() +
                              batch.rows.begin * width + batch.gradient_from;
  drop(batch.output_gradient.row(batch.rows.begin) + batch.gradient_from, batch.rows.count(),
       columns, batch.output_gradient.stride, bytes, width, drop_below_, keep_scale_);
}

}  // namespace knockout
