// SPDX-License-Identifier: Apache-2.0
// Encoder::to_json and from_json: how an encoder travels in a model file.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/encode/encoder.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

// The names are part of the model format: never change one.
std::string_view to_string(Support support) {
  switch (support) {
    case Support::kInterval:
      return "interval";
    case Support::kHalfLine:
      return "half_line";
    case Support::kRealLine:
      break;
  }
  return "real_line";
}

/// Positions among the categories, in order, at least two.
std::vector<int> rare_from_json(const JsonFields& fields, const Feature& feature) {
  std::vector<int> rare;
  if (!fields.has("rare")) return rare;
  const auto last = static_cast<std::int64_t>(feature.categories.size()) - 1;
  for (const std::int64_t category : fields.wholes("rare", 0, last)) {
    if (!rare.empty() && category <= rare.back()) fields.fail("\"rare\" is not in order");
    rare.push_back(static_cast<int>(category));
  }
  if (rare.size() < 2) fields.fail("\"rare\" names less than two categories");
  return rare;
}

FeatureCoding coding_from_json(const nlohmann::json& json, const Feature& feature) {
  const JsonFields fields(json, fmt::format("the coding of column \"{}\"", feature.name),
                          {"support", "center", "spread", "clip_low", "clip_high", "gaps_inline",
                           "missing", "for_a_reason", "begin", "width", "code", "learned_reason",
                           "missing_category", "reason_category"},
                          {"bend_low", "bend_high", "weekday", "time", "rare", "learned_said",
                           "said", "learned_below", "below", "learned_above", "above"});
  constexpr int kMost = std::numeric_limits<int>::max();
  const int last_category = static_cast<int>(feature.categories.size()) - 1;
  FeatureCoding coding;
  coding.support = codec_of(feature).support(feature);
  coding.center = fields.number("center");
  coding.spread = fields.number("spread");
  coding.clip_low = fields.number("clip_low");
  coding.clip_high = fields.number("clip_high");
  coding.bend_low = fields.has("bend_low") ? fields.number("bend_low") : coding.clip_low;
  coding.bend_high = fields.has("bend_high") ? fields.number("bend_high") : coding.clip_high;
  coding.has_weekday = fields.has("weekday") && fields.boolean("weekday");
  coding.has_time = fields.has("time") && fields.boolean("time");
  coding.rare = rare_from_json(fields, feature);
  coding.gaps_inline = fields.boolean("gaps_inline");
  coding.placeholders.missing = fields.number("missing");
  coding.placeholders.for_a_reason = fields.number("for_a_reason");
  const auto read_said = [&](const char* learned, const char* value) {
    const double second = coding.placeholders.for_a_reason;
    return std::pair(fields.has(learned) && fields.boolean(learned),
                     fields.has(value) ? fields.number(value) : second);
  };
  std::tie(coding.learned_said, coding.placeholders.said) = read_said("learned_said", "said");
  std::tie(coding.learned_below, coding.placeholders.below) = read_said("learned_below", "below");
  std::tie(coding.learned_above, coding.placeholders.above) = read_said("learned_above", "above");
  coding.begin = fields.integer("begin", 0, kMost);
  coding.width = fields.integer("width", 0, kMost);
  coding.code = fields.integer("code", -1, kMost);
  coding.learned_reason = fields.boolean("learned_reason");
  coding.missing_category = fields.integer("missing_category", -1, last_category);
  coding.reason_category = fields.integer("reason_category", -1, last_category);

  if (fields.text("support") != to_string(coding.support)) {
    fields.fail("\"support\" does not follow from the column's bounds");
  }
  const bool turned = coding.support == Support::kHalfLine && feature.upper.has_value();
  if (turned ? !(coding.spread < 0.0) : !(coding.spread > 0.0)) {
    fields.fail("\"spread\" has the wrong sign or is 0");
  }
  if (coding.clip_low > coding.clip_high || coding.clip_low < -kLargestScaled ||
      coding.clip_high > kLargestScaled) {
    fields.fail("\"clip_low\" and \"clip_high\" are no range");
  }
  if (coding.clip_low > coding.bend_low || coding.bend_low > coding.bend_high ||
      coding.bend_high > coding.clip_high) {
    fields.fail("\"bend_low\" and \"bend_high\" are no range within the clip");
  }
  const PlaceholderValues& values = coding.placeholders;
  for (const double placeholder : {values.missing, values.for_a_reason, values.said / kFarthestSaid,
                                   values.below / kFarthestSaid, values.above / kFarthestSaid}) {
    if (std::abs(placeholder) > 10 * kLargestScaled) fields.fail("a placeholder is too large");
  }
  if (coding.code >= 0 && !codec_of(feature).can_be_embedded()) {
    fields.fail(fmt::format("a column that is {} cannot be embedded", codec_of(feature).phrase()));
  }
  const bool sides = coding.learned_below || coding.learned_above;
  if (sides && !codec_of(feature).takes_placeholder_numbers()) {
    fields.fail(fmt::format("a column that is {} has no sides", codec_of(feature).phrase()));
  }
  return coding;
}

}  // namespace

void to_json(nlohmann::json& json, const Placeholder& placeholder) {
  const double* const number = std::get_if<double>(&placeholder);
  json = number == nullptr ? nlohmann::json("mean") : nlohmann::json(*number);
}

nlohmann::json Encoder::to_json() const {
  nlohmann::json codings = nlohmann::json::array();
  for (const FeatureCoding& coding : coding_) {
    codings.push_back({{"support", to_string(coding.support)},
                       {"center", coding.center},
                       {"spread", coding.spread},
                       {"clip_low", coding.clip_low},
                       {"clip_high", coding.clip_high},
                       {"gaps_inline", coding.gaps_inline},
                       {"missing", coding.placeholders.missing},
                       {"for_a_reason", coding.placeholders.for_a_reason},
                       {"begin", coding.begin},
                       {"width", coding.width},
                       {"code", coding.code},
                       {"learned_reason", coding.learned_reason},
                       {"missing_category", coding.missing_category},
                       {"reason_category", coding.reason_category}});
    nlohmann::json& json = codings.back();  // and what older files lack, where there is any
    if (coding.bend_low > coding.clip_low) json["bend_low"] = coding.bend_low;
    if (coding.bend_high < coding.clip_high) json["bend_high"] = coding.bend_high;
    if (coding.has_weekday) json["weekday"] = true;
    if (coding.has_time) json["time"] = true;
    if (!coding.rare.empty()) json["rare"] = coding.rare;
    const auto write_said = [&](bool learned, const char* name, double value) {
      if (!learned) return;
      json[std::string("learned_") + name] = true;
      json[name] = value;
    };
    write_said(coding.learned_said, "said", coding.placeholders.said);
    write_said(coding.learned_below, "below", coding.placeholders.below);
    write_said(coding.learned_above, "above", coding.placeholders.above);
  }
  return {{"schema", schema_to_json(schema_)},
          {"coding", codings},
          {"width", width_},
          {"notes", notes_}};
}

Encoder Encoder::from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "the encoder", {"schema", "coding", "width", "notes"});
  Encoder encoder;
  encoder.schema_ = schema_from_json(fields.value("schema"));
  encoder.notes_ = fields.texts("notes");
  const nlohmann::json& codings = fields.array("coding");
  if (codings.size() != encoder.schema_.features.size()) {
    fields.fail(
        fmt::format("{} codings for {} columns", codings.size(), encoder.schema_.features.size()));
  }
  for (std::size_t f = 0; f < codings.size(); ++f) {
    encoder.coding_.push_back(coding_from_json(codings[f], encoder.schema_.features[f]));
  }
  // The layout follows from the rest. It is stored so that other readers need not know how, and so
  // that a file made by other rules is refused rather than misread.
  const std::vector<FeatureCoding> stored = encoder.coding_;
  encoder.lay_out();
  bool agrees = fields.integer("width", 0, std::numeric_limits<int>::max()) == encoder.width_;
  for (std::size_t f = 0; f < stored.size(); ++f) {
    agrees = agrees && stored[f].begin == encoder.coding_[f].begin &&
             stored[f].width == encoder.coding_[f].width &&
             stored[f].code == encoder.coding_[f].code;
  }
  if (!agrees) fields.fail("the stored layout of the inputs does not follow from the schema");
  encoder.finish();
  return encoder;
}

}  // namespace knockout
