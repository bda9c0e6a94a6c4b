// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/json_fields.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/strict_json.h"

namespace knockout {

JsonFields::JsonFields(const nlohmann::json& json, std::string where,
                       std::initializer_list<const char*> keys,
                       std::initializer_list<const char*> optional)
    : json_(json), where_(std::move(where)) {
  if (!json.is_object()) fail(fmt::format("expected an object, found {}", json.type_name()));
  for (const char* key : keys) {
    if (!json.contains(key)) fail(fmt::format("\"{}\" is missing", key));
  }
  for (const auto& item : json.items()) {
    const auto is_it = [&](auto key) { return item.key() == key; };
    const bool known = std::any_of(keys.begin(), keys.end(), is_it) ||
                       std::any_of(optional.begin(), optional.end(), is_it);
    if (!known) fail(fmt::format("unknown entry \"{}\"", item.key()));
  }
}

void JsonFields::fail(std::string_view what) const {
  throw ModelFileError(
      fmt::format("The file is damaged or was not written by knockout: {}: {}.\n"
                  "  Fit again, or restore the file from a copy.",
                  where_, what));
}

bool JsonFields::has(const char* key) const { return json_.contains(key); }

const nlohmann::json& JsonFields::value(const char* key) const {
  const auto found = json_.find(key);
  if (found == json_.end()) fail(fmt::format("\"{}\" is missing", key));
  return *found;
}

std::string JsonFields::text(const char* key) const {
  const nlohmann::json& found = value(key);
  if (!found.is_string()) fail(fmt::format("\"{}\" must be text, is {}", key, found.type_name()));
  return found.get<std::string>();
}

bool JsonFields::boolean(const char* key) const {
  const nlohmann::json& found = value(key);
  if (!found.is_boolean()) {
    fail(fmt::format("\"{}\" must be true or false, is {}", key, found.type_name()));
  }
  return found.get<bool>();
}

double JsonFields::number(const char* key) const {
  const nlohmann::json& found = value(key);
  if (!found.is_number()) {
    fail(fmt::format("\"{}\" must be a number, is {}", key, found.type_name()));
  }
  const double number = found.get<double>();
  if (!std::isfinite(number)) fail(fmt::format("\"{}\" must be finite", key));
  return number;
}

std::optional<double> JsonFields::optional_number(const char* key) const {
  if (value(key).is_null()) return std::nullopt;
  return number(key);
}

int JsonFields::integer(const char* key, int least, int most) const {
  return static_cast<int>(whole(key, least, most));
}

std::int64_t JsonFields::whole(const char* key, std::int64_t least, std::int64_t most) const {
  const std::optional<std::int64_t> found = whole_number(value(key), least, most);
  if (!found) fail(fmt::format("\"{}\" must be a whole number from {} to {}", key, least, most));
  return *found;
}

std::vector<std::int64_t> JsonFields::wholes(const char* key, std::int64_t least,
                                             std::int64_t most) const {
  std::vector<std::int64_t> numbers;
  for (const nlohmann::json& entry : array(key)) {
    const std::optional<std::int64_t> found = whole_number(entry, least, most);
    if (!found) {
      fail(fmt::format("\"{}\" must be a list of whole numbers from {} to {}", key, least, most));
    }
    numbers.push_back(*found);
  }
  return numbers;
}

const nlohmann::json& JsonFields::array(const char* key) const {
  const nlohmann::json& found = value(key);
  if (!found.is_array()) fail(fmt::format("\"{}\" must be a list, is {}", key, found.type_name()));
  return found;
}

std::vector<std::string> JsonFields::texts(const char* key) const {
  std::vector<std::string> texts;
  for (const nlohmann::json& entry : array(key)) {
    if (!entry.is_string()) fail(fmt::format("\"{}\" must be a list of texts", key));
    texts.push_back(entry.get<std::string>());
  }
  return texts;
}

}  // namespace knockout
