// SPDX-License-Identifier: Apache-2.0
// How plans and what was said about them travel in a model file.
#include "knockout/mask/plan.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/schema/json_fields.h"

namespace knockout {
namespace {

nlohmann::json part_to_json(const KnockoutPlan::Part& part) {
  nlohmann::json json = {{"weight", part.weight}};
  if (!part.patterns.empty()) {
    json["patterns"] = nlohmann::json::array();
    for (const auto& pattern : part.patterns) {
      json["patterns"].push_back({{"missing", pattern.missing_units}, {"weight", pattern.weight}});
    }
  } else if (!part.unit_rates.empty()) {
    json["unit_rates"] = part.unit_rates;
  } else {
    json["row_rate"] = {part.row_rate_low, part.row_rate_high};
  }
  return json;
}

double read_weight(const JsonFields& fields) {
  const double weight = fields.number("weight");
  if (!(weight > 0.0)) fields.fail("a weight must be positive");
  return weight;
}

double read_probability(const JsonFields& fields, const nlohmann::json& json) {
  if (!json.is_number() || !(json.get<double>() >= 0.0 && json.get<double>() <= 1.0)) {
    fields.fail("a rate must be a number from 0 to 1");
  }
  return json.get<double>();
}

std::vector<int> read_units(const JsonFields& fields, const char* key, int units) {
  std::set<int> read;
  for (const std::int64_t unit : fields.wholes(key, 0, std::int64_t{units} - 1)) {
    if (!read.insert(static_cast<int>(unit)).second) {
      fields.fail(fmt::format("\"{}\" names a unit twice", key));
    }
  }
  return {read.begin(), read.end()};
}

std::vector<double> read_rates(const JsonFields& fields, const char* key, int count) {
  const nlohmann::json& list = fields.array(key);
  if (list.size() != static_cast<std::size_t>(count)) {
    fields.fail(fmt::format("\"{}\" holds {} rates, expected {}", key, list.size(), count));
  }
  std::vector<double> rates;
  for (const nlohmann::json& entry : list) rates.push_back(read_probability(fields, entry));
  return rates;
}

KnockoutPlan::Part part_from_json(const nlohmann::json& json, int units) {
  const std::string where = "a part of the knockout plan";
  KnockoutPlan::Part part;
  if (json.is_object() && json.contains("patterns")) {
    const JsonFields fields(json, where, {"weight", "patterns"});
    part.weight = read_weight(fields);
    double total_weight = 0;
    for (const nlohmann::json& entry : fields.array("patterns")) {
      const JsonFields pattern(entry, "a pattern of the knockout plan", {"missing", "weight"});
      part.patterns.push_back({read_units(pattern, "missing", units), read_weight(pattern)});
      total_weight += part.patterns.back().weight;
    }
    if (part.patterns.empty()) fields.fail("\"patterns\" is empty");
    if (!std::isfinite(total_weight)) fields.fail("the weights add up to no finite number");
  } else if (json.is_object() && json.contains("unit_rates")) {
    const JsonFields fields(json, where, {"weight", "unit_rates"});
    part.weight = read_weight(fields);
    part.unit_rates = read_rates(fields, "unit_rates", units);
  } else {
    const JsonFields fields(json, where, {"weight", "row_rate"});
    part.weight = read_weight(fields);
    const std::vector<double> range = read_rates(fields, "row_rate", 2);
    if (range[0] > range[1]) fields.fail("\"row_rate\" must run from low to high");
    part.row_rate_low = range[0];
    part.row_rate_high = range[1];
  }
  return part;
}

}  // namespace

void to_json(nlohmann::json& json, const KnockoutRate& rate) {
  if (const double* const number = std::get_if<double>(&rate)) {
    json = *number;
  } else {
    json = std::holds_alternative<PaperRate>(rate) ? "paper" : "auto";
  }
}

void to_json(nlohmann::json& json, const UnitRate& rate) {
  json = {{"unit", rate.unit}, {"rate", rate.rate}};
}

void to_json(nlohmann::json& json, const CorrelatedUnits& set) {
  json = {{"units", set.units}, {"strength", set.strength}};
}

void to_json(nlohmann::json& json, const KnockoutPattern& pattern) {
  json = {{"units", pattern.units}, {"weight", pattern.weight}};
}

nlohmann::json plan_to_json(const KnockoutPlan& plan) {
  nlohmann::json parts = nlohmann::json::array();
  for (const auto& part : plan.parts) parts.push_back(part_to_json(part));
  nlohmann::json own_rates = nlohmann::json::array();
  for (const auto& [unit, rate] : plan.own_rates) {
    own_rates.push_back({{"unit", unit}, {"rate", rate}});
  }
  nlohmann::json correlated = nlohmann::json::array();
  for (const auto& set : plan.correlated) {
    correlated.push_back({{"units", set.units}, {"strength", set.strength}});
  }
  return {{"units", plan.units},
          {"parts", parts},
          {"own_rates", own_rates},
          {"correlated", correlated},
          {"never_missing", plan.never_missing},
          {"keep_at_least_one", plan.keep_at_least_one},
          {"reason_share", plan.reason_share}};
}

KnockoutPlan plan_from_json(const nlohmann::json& json) {
  const JsonFields fields(json, "the knockout plan",
                          {"units", "parts", "own_rates", "correlated", "never_missing",
                           "keep_at_least_one", "reason_share"});
  KnockoutPlan plan;
  plan.units = fields.integer("units", 0, std::numeric_limits<int>::max());
  plan.keep_at_least_one = fields.boolean("keep_at_least_one");
  plan.reason_share = read_probability(fields, fields.value("reason_share"));
  for (const nlohmann::json& entry : fields.array("never_missing")) {
    if (!entry.is_boolean()) fields.fail("\"never_missing\" must be a list of true and false");
    plan.never_missing.push_back(entry.get<bool>());
  }
  if (plan.never_missing.size() != static_cast<std::size_t>(plan.units)) {
    fields.fail(fmt::format("\"never_missing\" holds {} entries for {} units",
                            plan.never_missing.size(), plan.units));
  }
  double total_weight = 0;
  for (const nlohmann::json& entry : fields.array("parts")) {
    plan.parts.push_back(part_from_json(entry, plan.units));
    total_weight += plan.parts.back().weight;
  }
  if (plan.parts.empty()) fields.fail("\"parts\" is empty");
  if (!std::isfinite(total_weight)) fields.fail("the weights add up to no finite number");
  for (const nlohmann::json& entry : fields.array("own_rates")) {
    const JsonFields own(entry, "a unit's own knockout rate", {"unit", "rate"});
    const int unit = own.integer("unit", 0, plan.units - 1);
    if (!plan.own_rates.emplace(unit, read_probability(own, own.value("rate"))).second) {
      own.fail("the unit has two");
    }
  }
  std::set<int> taken;
  for (const nlohmann::json& entry : fields.array("correlated")) {
    const JsonFields set(entry, "the correlated units", {"units", "strength"});
    plan.correlated.push_back(
        {read_units(set, "units", plan.units), read_probability(set, set.value("strength"))});
    for (const int unit : plan.correlated.back().units) {
      if (!taken.insert(unit).second) set.fail("a unit is in two sets");
    }
  }
  return plan;
}

}  // namespace knockout
