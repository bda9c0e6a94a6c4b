// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/schema.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/schema/json_fields.h"
#include "knockout/schema/kinds/kinds.h"

namespace knockout {
namespace {

// The names are part of the model format: never change one.
constexpr std::array kGapNames = {EnumName<GapMeaning>{"none", GapMeaning::kNone},
                                  EnumName<GapMeaning>{"at_random", GapMeaning::kAtRandom},
                                  EnumName<GapMeaning>{"for_a_reason", GapMeaning::kForAReason}};

template <typename Names, typename Value>
std::string_view name_in(const Names& names, Value value) {
  for (const auto& entry : names) {
    if (entry.value == value) return entry.name;
  }
  return "unknown";
}

template <typename Names>
auto value_of(const Names& names, const JsonFields& fields, const char* key) {
  const std::string text = fields.text(key);
  for (const auto& entry : names) {
    if (entry.name == text) return entry.value;
  }
  fields.fail(fmt::format("\"{}\" is \"{}\", which this version does not know", key, text));
}

ColumnKind kind_in(const JsonFields& fields) {
  const std::string text = fields.text("kind");
  const ColumnCodec* const codec = codec_named(text);
  if (codec == nullptr) {
    fields.fail(fmt::format("\"kind\" is \"{}\", which this version does not know", text));
  }
  return codec->kind();
}

bool has_duplicates(const std::vector<std::string>& texts) {
  return std::set<std::string_view>(texts.begin(), texts.end()).size() != texts.size();
}

nlohmann::json number_or_null(const std::optional<double>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json(nullptr);
}

nlohmann::json feature_to_json(const Feature& feature) {
  return {{"name", feature.name},
          {"kind", to_string(feature.kind)},
          {"lower", number_or_null(feature.lower)},
          {"upper", number_or_null(feature.upper)},
          {"categories", feature.categories},
          {"group", feature.group},
          {"never_missing", feature.never_missing},
          {"training_gaps", to_string(feature.training_gaps)}};
}

Feature feature_from_json(const nlohmann::json& json, std::size_t position) {
  const JsonFields fields(
      json, fmt::format("input column {}", position + 1),
      {"name", "kind", "lower", "upper", "categories", "group", "never_missing", "training_gaps"});
  Feature feature;
  feature.name = fields.text("name");
  feature.kind = kind_in(fields);
  feature.lower = fields.optional_number("lower");
  feature.upper = fields.optional_number("upper");
  feature.categories = fields.texts("categories");
  feature.group = fields.text("group");
  feature.never_missing = fields.boolean("never_missing");
  feature.training_gaps = value_of(kGapNames, fields, "training_gaps");

  const ColumnCodec& codec = codec_of(feature);
  if ((feature.lower || feature.upper) && !codec.takes_range()) {
    fields.fail(fmt::format("a column that is {} has no bounds", codec.phrase()));
  }
  if (feature.lower && feature.upper && *feature.lower >= *feature.upper) {
    fields.fail("the lower bound is not below the upper one");
  }
  if (codec.has_categories() ? feature.categories.size() < codec.least_categories()
                             : !feature.categories.empty()) {
    fields.fail(fmt::format("a column that is {} has {} categories", codec.phrase(),
                            feature.categories.size()));
  }
  if (has_duplicates(feature.categories)) fields.fail("a category is listed twice");
  return feature;
}

Target target_from_json(const nlohmann::json& json, std::size_t position) {
  const JsonFields fields(json, fmt::format("target {}", position + 1),
                          {"name", "task", "classes"});
  Target target{fields.text("name"), value_of(names_of(Task{}), fields, "task"),
                fields.texts("classes")};
  if (target.task == Task::kRegression && !target.classes.empty()) {
    fields.fail("a regression target has no classes");
  }
  if (target.task == Task::kClassification && target.classes.size() < 2) {
    fields.fail("a classification target needs at least two classes");
  }
  if (has_duplicates(target.classes)) fields.fail("a class is listed twice");
  return target;
}

}  // namespace

std::optional<std::size_t> Schema::find_feature(std::string_view name) const {
  const auto found = std::find_if(features.begin(), features.end(),
                                  [&](const Feature& feature) { return feature.name == name; });
  if (found == features.end()) return std::nullopt;
  return static_cast<std::size_t>(found - features.begin());
}

HashMap<std::string_view, std::size_t> Schema::feature_index() const {
  HashMap<std::string_view, std::size_t> index;
  for (std::size_t f = 0; f < features.size(); ++f) index.emplace(features[f].name, f);
  return index;
}

std::vector<std::string> Schema::feature_names() const {
  std::vector<std::string> names;
  names.reserve(features.size());
  for (const Feature& feature : features) names.push_back(feature.name);
  return names;
}

std::string_view to_string(GapMeaning meaning) { return name_in(kGapNames, meaning); }
std::string_view to_string(Task task) { return name_of(task); }
std::string_view to_string(UnseenCategory policy) { return name_of(policy); }

nlohmann::json schema_to_json(const Schema& schema) {
  nlohmann::json features = nlohmann::json::array();
  for (const Feature& feature : schema.features) features.push_back(feature_to_json(feature));
  nlohmann::json targets = nlohmann::json::array();
  for (const Target& target : schema.targets) {
    targets.push_back(
        {{"name", target.name}, {"task", to_string(target.task)}, {"classes", target.classes}});
  }
  nlohmann::json json = {{"features", features},
                         {"targets", targets},
                         {"weight_column", schema.weight_column},
                         {"unseen_category", to_string(schema.unseen_category)}};
  if (schema.reading != TableReading()) json["reading"] = schema.reading.to_json();
  return json;
}

Schema schema_from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "the schema",
                          {"features", "targets", "weight_column", "unseen_category"}, {"reading"});
  Schema schema;
  for (const nlohmann::json& entry : fields.array("features")) {
    schema.features.push_back(feature_from_json(entry, schema.features.size()));
  }
  for (const nlohmann::json& entry : fields.array("targets")) {
    schema.targets.push_back(target_from_json(entry, schema.targets.size()));
  }
  schema.weight_column = fields.text("weight_column");
  schema.unseen_category = value_of(names_of(UnseenCategory{}), fields, "unseen_category");
  if (fields.has("reading")) schema.reading = TableReading::from_json(fields.value("reading"));

  std::vector<std::string> names = schema.feature_names();
  for (const Target& target : schema.targets) names.push_back(target.name);
  if (!schema.weight_column.empty()) names.push_back(schema.weight_column);
  if (has_duplicates(names)) fields.fail("two columns have the same name");
  // A unit is known by its group's or its column's name, so these may not collide either.
  std::map<std::string_view, std::string_view> group_of;
  for (const Feature& feature : schema.features) group_of[feature.name] = feature.group;
  for (const Feature& feature : schema.features) {
    const auto namesake = group_of.find(feature.group);
    if (!feature.group.empty() && namesake != group_of.end() && namesake->second != feature.group) {
      fields.fail(fmt::format("group \"{}\" has the name of a column outside it", feature.group));
    }
  }
  return schema;
}

}  // namespace knockout
