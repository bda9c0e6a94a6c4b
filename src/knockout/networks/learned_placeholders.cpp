// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/learned_placeholders.h"

#include <algorithm>
#include <span>
#include <utility>

#include <nlohmann/json.hpp>

#include "knockout/encode/encoder.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {

LearnedPlaceholders::LearnedPlaceholders(int width, std::vector<GapInput> gaps)
    : width_(width), gaps_(std::move(gaps)) {}

LayerPointer LearnedPlaceholders::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "learned placeholders",
                          {"kind", "width", "values", "flags", "starts"});
  const int width = fields.integer("width", 1, kWidestLayer);
  const std::vector<std::int64_t> values = fields.wholes("values", 0, width - 1);
  const std::vector<std::int64_t> flags = fields.wholes("flags", 0, width - 1);
  const nlohmann::json& starts = fields.array("starts");
  if (values.empty() || flags.size() != values.size() || starts.size() != values.size()) {
    fields.fail("\"values\", \"flags\" and \"starts\" are not of one length");
  }
  std::vector<GapInput> gaps;
  for (std::size_t g = 0; g < values.size(); ++g) {
    if (!starts[g].is_number()) fields.fail("\"starts\" holds something else than numbers");
    gaps.push_back(
        {static_cast<int>(values[g]), static_cast<int>(flags[g]), starts[g].get<double>()});
  }
  // A value that is a flag, too, would be cleared before it is used.
  for (const GapInput& gap : gaps) {
    if (std::find(flags.begin(), flags.end(), gap.value) != flags.end()) {
      fields.fail("an input is both a value and a flag");
    }
  }
  return std::make_shared<LearnedPlaceholders>(width, std::move(gaps));
}

nlohmann::json LearnedPlaceholders::to_json() const {
  nlohmann::json json = {{"kind", kKind},
                         {"width", width_},
                         {"values", nlohmann::json::array()},
                         {"flags", nlohmann::json::array()},
                         {"starts", nlohmann::json::array()}};
  for (const GapInput& gap : gaps_) {
    json["values"].push_back(gap.value);
    json["flags"].push_back(gap.flag);
    json["starts"].push_back(gap.start);
  }
  return json;
}

void LearnedPlaceholders::initialize(const Random& /*random*/, float* parameters) const {
  std::fill_n(parameters, gaps_.size(), 0.0F);
}

std::vector<ParameterTensor> LearnedPlaceholders::tensors() const {
  return {{.name = "placeholders",
           .shape = {static_cast<std::int64_t>(gaps_.size())},
           .offset = 0,
           .count = gaps_.size()}};
}

std::vector<ParameterBlock> LearnedPlaceholders::blocks() const {
  return {{.offset = 0, .count = gaps_.size()}};
}

void LearnedPlaceholders::forward(const float* parameters, const LayerBatch& batch,
                                  const PassContext& /*context*/) const {
  for (int r = batch.rows.begin; r < batch.rows.end; ++r) {
    const float* in = batch.input.row(r);
    float* out = batch.output.row(r);
    std::copy_n(in, width_, out);
    for (std::size_t g = 0; g < gaps_.size(); ++g) {
      const float placeholder = static_cast<float>(gaps_[g].start) + parameters[g];
      out[gaps_[g].value] += in[gaps_[g].flag] / kGapInput * placeholder;
    }
    for (const GapInput& gap : gaps_) out[gap.flag] = 0.0F;
  }
}

void LearnedPlaceholders::backward(const float* parameters, const LayerBatch& batch,
                                   const PassContext& /*context*/) const {
  if (batch.gradient_from >= width_) return;
  for (int r = batch.rows.begin; r < batch.rows.end; ++r) {
    const float* delta = batch.output_gradient.row(r);
    float* to = batch.input_gradient.row(r);
    std::copy(delta + batch.gradient_from, delta + width_, to + batch.gradient_from);
    for (const GapInput& gap : gaps_) {
      if (gap.flag >= batch.gradient_from) to[gap.flag] = 0.0F;
    }
    for (std::size_t g = 0; g < gaps_.size(); ++g) {
      if (gaps_[g].flag < batch.gradient_from) continue;
      const float placeholder = static_cast<float>(gaps_[g].start) + parameters[g];
      to[gaps_[g].flag] += delta[gaps_[g].value] / kGapInput * placeholder;
    }
  }
}

void LearnedPlaceholders::gradient_block(const ParameterBlock& block, const LayerBatch& batch,
                                         const PassContext& /*context*/, float* gradient) const {
  std::vector<double> sums(gaps_.size(), 0.0);
  for (int r = batch.rows.begin; r < batch.rows.end; ++r) {
    const float* in = batch.input.row(r);
    const float* delta = batch.output_gradient.row(r);
    for (std::size_t g = 0; g < gaps_.size(); ++g) {
      sums[g] += static_cast<double>(in[gaps_[g].flag]) / kGapInput * delta[gaps_[g].value];
    }
  }
  for (std::size_t g = 0; g < gaps_.size(); ++g) {
    gradient[block.offset + g] = static_cast<float>(sums[g]);
  }
}

std::vector<GapInput> gap_inputs_of(const Encoder& encoder) {
  std::vector<GapInput> gaps;
  for (std::size_t f = 0; f < encoder.coding().size(); ++f) {
    const Feature& feature = encoder.schema().features[f];
    const FeatureCoding& coding = encoder.coding()[f];
    const bool on_axis = codec_of(feature).takes_placeholder_numbers();
    if (!on_axis || coding.gaps_inline || feature.never_missing) continue;
    PlaceholderValues starts = recommended_placeholders(coding.support);
    std::vector<GapKind> kinds = {GapKind::kAtRandom};
    for (const GapKind kind :
         {GapKind::kUnknownCause, GapKind::kSaid, GapKind::kBelow, GapKind::kAbove}) {
      if (coding.learned(kind)) kinds.push_back(kind);
    }
    set_said_apart(starts, std::span(kinds).subspan(1));
    // The inputs of gaps are the last of the column's, in this order.
    const int first = coding.begin + coding.width - static_cast<int>(kinds.size());
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      gaps.push_back({.value = coding.begin,
                      .flag = first + static_cast<int>(k),
                      .start = starts.of(kinds[k])});
    }
  }
  return gaps;
}

}  // namespace knockout
