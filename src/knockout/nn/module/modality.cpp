// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/modality.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/nn/module/option_checks.h"

namespace knockout::nn {
namespace {

void check_modality(const Modality& modality) {
  if (modality.name.empty()) refuse_modalities("every modality needs a name.");
  if (modality.name.find('.') != std::string::npos) {
    refuse_modalities(
        fmt::format("the name \"{}\" holds a dot, which LibTorch keeps for paths.", modality.name));
  }
  for (const std::int64_t extent : modality.shape) {
    if (extent < 1 && extent != -1) {
      refuse_modalities(fmt::format(
          "modality \"{}\" has the shape [{}]; every extent must be at least 1, or -1 for any "
          "size.",
          modality.name, fmt::join(modality.shape, ", ")));
    }
  }
  if (modality.separate_features) {
    if (modality.shape.empty()) {
      refuse_modalities(fmt::format(
          "modality \"{}\" is one number and has no features to separate.", modality.name));
    }
    if (modality.shape[0] < 0) {
      refuse_modalities(fmt::format(
          "modality \"{}\" has the shape [{}]: to separate its features, say how many there are "
          "in place of the first -1.",
          modality.name, fmt::join(modality.shape, ", ")));
    }
    if (!modality.group.empty()) {
      refuse_modalities(
          fmt::format("modality \"{}\" cannot go missing with its group \"{}\" and feature by "
                      "feature.",
                      modality.name, modality.group));
    }
  }
  const double rate = modality.knockout_rate;
  if (rate != kPaperRate && !(rate >= 0.0 && rate <= 1.0)) {
    refuse_modalities(
        fmt::format("modality \"{}\" has the knockout rate {}; expected a probability, or "
                    "kPaperRate ({}) for the paper's.",
                    modality.name, rate, kPaperRate));
  }
}

/// Another modality joins a group: at the rate of the others, or the first rate that one gives.
void join_group(const Modality& modality, double& group_rate) {
  if (modality.knockout_rate == kPaperRate) return;
  if (group_rate != kPaperRate && group_rate != modality.knockout_rate) {
    refuse_modalities(fmt::format(
        "the group \"{}\" goes missing together and has one rate, but its modalities give {} and "
        "{}.\n  Give the rate once, or the same one to all.",
        modality.group, group_rate, modality.knockout_rate));
  }
  group_rate = modality.knockout_rate;
}

}  // namespace

ModalityUnits units_of(const KnockoutModuleOptions& options) {
  if (options.modalities.empty()) refuse_modalities("there must be at least one modality.");
  ModalityUnits result;
  std::map<std::string, ModalityUnits::Range> groups;
  std::vector<double> rates;
  for (const Modality& modality : options.modalities) {
    check_modality(modality);
    if (std::count_if(options.modalities.begin(), options.modalities.end(),
                      [&](const Modality& other) { return other.name == modality.name; }) > 1) {
      refuse_modalities(fmt::format("two modalities are called \"{}\".", modality.name));
    }
    ModalityUnits::Range range{.begin = static_cast<std::int64_t>(result.names.size())};
    if (modality.separate_features) range.count = modality.shape[0];
    if (!modality.group.empty()) {
      const auto [known, is_new] = groups.emplace(modality.group, range);
      if (!is_new) {
        join_group(modality, rates[static_cast<std::size_t>(known->second.begin)]);
        result.ranges.push_back(known->second);
        continue;
      }
    }
    for (std::int64_t i = 0; i < range.count; ++i) {
      const std::string& name = modality.group.empty() ? modality.name : modality.group;
      result.names.push_back(modality.separate_features ? fmt::format("{}[{}]", name, i) : name);
      rates.push_back(modality.knockout_rate);
    }
    result.ranges.push_back(range);
  }

  const int units = static_cast<int>(result.names.size());
  KnockoutPlan& plan = result.plan;
  if (options.plan) {
    plan = *options.plan;
    if (plan.units != units) {
      refuse_modalities(fmt::format("the plan is for {} units, and the modalities have {}: {}.",
                                    plan.units, units, fmt::join(result.names, ", ")));
    }
  } else {
    std::replace(rates.begin(), rates.end(), kPaperRate, paper_rate(units));
    plan.units = units;
    plan.parts = {{.unit_rates = rates}};
  }
  plan.never_missing.resize(static_cast<std::size_t>(units), false);
  plan.keep_at_least_one |= options.keep_at_least_one;
  try {
    plan = plan_from_json(plan_to_json(plan));  // which checks everything
  } catch (const Error& error) {
    refuse_modalities(fmt::format("the plan makes no sense: {}", error.what()));
  }
  return result;
}

}  // namespace knockout::nn
