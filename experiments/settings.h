// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "knockout/mask/plan.h"
#include "knockout/report/document.h"

namespace knockout::experiments {

/// A hyper-parameter of a study, bound to the field that holds it; the field's value when it is
/// added is the default.
struct Setting {
  using Field = std::variant<bool*, int*, double*, std::string*, std::vector<int>*>;

  std::string name;  ///< As a flag, without the dashes: "learning-rate".
  Field field;
  std::string help;
  nlohmann::json quick = {};  ///< Its value under --quick; null = the same.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::vector<std::string> choices = {};  ///< Of a word; empty = any.
  std::string value_name = {};            ///< What help calls the value; "" = by its type.
};

/// All hyper-parameters of a study, described once: the command makes flags of them, and the
/// journal and the report write them down.
class Settings {
 public:
  void add(Setting setting);
  const std::vector<Setting>& all() const { return all_; }
  /// Takes the quick values of all settings but those that a person gave.
  void make_quick(const std::vector<std::string>& given);
  /// Throws ConfigError that names the flag when a value is out of its range or choices.
  void check() const;
  nlohmann::ordered_json values() const;

 private:
  std::vector<Setting> all_;
};

/// What Settings::values() wrote down, for a report.
report::Table table_of_settings(const nlohmann::ordered_json& values);

/// "auto", "paper" or a number from 0 to below 1. Throws ConfigError.
KnockoutRate knockout_rate_of(const std::string& text);

}  // namespace knockout::experiments
