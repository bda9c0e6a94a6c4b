// SPDX-License-Identifier: Apache-2.0
#include "experiments/settings.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "knockout/base/error.h"
#include "knockout/schema/labels.h"

namespace knockout::experiments {
namespace {

void check_number(const Setting& setting, double value) {
  if (value >= setting.least && value <= setting.most) return;
  const std::string expected = std::isinf(setting.most) ? fmt::format("{} or more", setting.least)
                               : std::isinf(setting.least)
                                   ? fmt::format("at most {}", setting.most)
                                   : fmt::format("{} to {}", setting.least, setting.most);
  throw ConfigError(fmt::format("--{} {}: expected {}.", setting.name, value, expected));
}

void check_word(const Setting& setting, const std::string& word) {
  const auto& choices = setting.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), word) != choices.end()) return;
  throw ConfigError(fmt::format("--{} {}: expected {}.{}", setting.name, word,
                                fmt::join(choices, " or "), did_you_mean(word, choices)));
}

}  // namespace

void Settings::add(Setting setting) { all_.push_back(std::move(setting)); }

void Settings::make_quick(const std::vector<std::string>& given) {
  for (const Setting& setting : all_) {
    if (setting.quick.is_null()) continue;
    if (std::find(given.begin(), given.end(), setting.name) != given.end()) continue;
    std::visit([&](auto* field) { setting.quick.get_to(*field); }, setting.field);
  }
}

void Settings::check() const {
  for (const Setting& setting : all_) {
    std::visit(
        [&](const auto* field) {
          using Value = std::remove_cvref_t<decltype(*field)>;
          if constexpr (std::is_same_v<Value, std::vector<int>>) {
            for (const int value : *field) check_number(setting, value);
          } else if constexpr (std::is_same_v<Value, std::string>) {
            check_word(setting, *field);
          } else if constexpr (!std::is_same_v<Value, bool>) {
            check_number(setting, static_cast<double>(*field));
          }
        },
        setting.field);
  }
}

nlohmann::ordered_json Settings::values() const {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const Setting& setting : all_) {
    std::visit([&](const auto* field) { values[setting.name] = *field; }, setting.field);
  }
  return values;
}

report::Table table_of_settings(const nlohmann::ordered_json& values) {
  report::Table table{.caption = "Settings", .header = {"setting", "value"}, .alignment = "ll"};
  for (const auto& [name, value] : values.items()) {
    table.rows.push_back({name, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return table;
}

KnockoutRate knockout_rate_of(const std::string& text) {
  if (text == "auto") return AutoRate{};
  if (text == "paper") return PaperRate{};
  const auto rate = parse_number(text);
  if (rate && *rate >= 0.0 && *rate < 1.0) return *rate;
  throw ConfigError(fmt::format(
      "The knockout rate is \"auto\", \"paper\" or a number from 0 to below 1, not \"{}\".", text));
}

}  // namespace knockout::experiments
