// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "knockout/base/option.h"

namespace knockout {

/// An option's value as JSON: enums by their word, what is absent as null. Other types bring a
/// to_json of their own.
template <typename Value>
nlohmann::json option_to_json(const Value& value) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(name_of(value));
  } else if constexpr (kIsOptional<Value>) {
    return value ? option_to_json(*value) : nlohmann::json();
  } else {
    return nlohmann::json(value);
  }
}

/// The described options that change what is learned, by their names.
template <typename Options>
nlohmann::json learned_options_to_json(const Options& options) {
  nlohmann::json json = nlohmann::json::object();
  for_each_option<Options>([&](const auto& described) {
    if (described.learned == Learned::kNo) return;
    json[std::string(described.name)] = option_to_json(options.*described.member);
  });
  return json;
}

}  // namespace knockout
