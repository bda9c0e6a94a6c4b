// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/module/modality.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

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

/// The numbers that real inputs of this support take; where none is said, those of every support.
std::pair<double, double> likely_range(const std::optional<Support>& support) {
  if (!support || *support == Support::kInterval) return {0.0, 1.0};
  if (*support == Support::kHalfLine) return {0.0, std::numeric_limits<double>::infinity()};
  return {-kLikelyZScores, kLikelyZScores};
}

void refuse_placeholder(const Modality& modality, const std::string& what) {
  refuse_modalities(fmt::format(
      "the placeholder of \"{}\" {}.\n"
      "  The network could not tell a gap from such a number: it would learn one answer for both, "
      "a mixture that is\n  wrong for each. Leave it to the paper's rule, which gives {:g} here, "
      "say what the numbers can be\n  (`support`), or allow it on purpose: `force_placeholder`",
      modality.name, what, recommended_placeholder(modality).value));
}

/// REQUIRES: a number of the modality's placeholder.
void require_outside(const Modality& modality, double number) {
  const auto [low, high] = likely_range(modality.support);
  // As floats, because that is how the network sees them.
  const auto seen = static_cast<float>(number);
  if (seen < static_cast<float>(low) || seen > static_cast<float>(high)) return;
  refuse_placeholder(
      modality,
      std::isinf(high)
          ? fmt::format("is {:g}, among its scaled numbers, which begin at 0", number)
          : fmt::format("is {:g}, among its scaled numbers, {:g} to {:g}", number, low, high));
}

}  // namespace

Placeholder Placeholder::for_support(Support support) {
  const PlaceholderValues values = recommended_placeholders(support);
  return constant(values.missing, values.for_a_reason);
}

std::optional<std::int64_t> dimension_of(const Modality& modality) {
  std::int64_t numbers = 1;
  for (std::size_t d = modality.separate_features ? 1 : 0; d < modality.shape.size(); ++d) {
    if (modality.shape[d] == -1) return std::nullopt;
    numbers *= modality.shape[d];
  }
  return numbers;
}

bool is_structured(const Modality& modality) {
  const std::optional<std::int64_t> dimension = dimension_of(modality);
  return !dimension || *dimension > kStructuredDimension;
}

Placeholder recommended_placeholder(const Modality& modality) {
  if (is_structured(modality)) return Placeholder::zeros();
  return Placeholder::for_support(modality.support.value_or(Support::kRealLine));
}

Placeholder checked_placeholder(const Modality& modality) {
  if (!modality.placeholder) return recommended_placeholder(modality);
  const Placeholder& placeholder = *modality.placeholder;
  for (const double number : {placeholder.value, placeholder.for_a_reason.value_or(0.0)}) {
    if (!std::isfinite(number)) {
      refuse_modalities(fmt::format("the placeholder of \"{}\" is {}; expected a finite number.",
                                    modality.name, number));
    }
  }
  if (modality.force_placeholder || is_structured(modality)) return placeholder;
  if (placeholder.rule == Placeholder::Rule::kMean) {
    refuse_placeholder(modality, "is the mean, among the numbers themselves");
  }
  if (placeholder.rule != Placeholder::Rule::kConstant) return placeholder;
  require_outside(modality, placeholder.value);
  if (!placeholder.for_a_reason) return placeholder;
  require_outside(modality, *placeholder.for_a_reason);
  if (static_cast<float>(placeholder.value) == static_cast<float>(*placeholder.for_a_reason)) {
    refuse_modalities(
        fmt::format("both placeholders of \"{}\" are {:g}: \"missing\" and \"missing for a "
                    "reason\" would look alike.\n"
                    "  Give one only, or allow it: `force_placeholder`",
                    modality.name, placeholder.value));
  }
  return placeholder;
}

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
