// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace knockout {

/// Reads a JSON object of a model file and believes nothing: anything missing, unknown, of another
/// type or out of range is a ModelFileError that says where.
///   const JsonFields fields(json, "the schema", {"features", "targets"});
///   const std::string name = fields.text("name");
/// Holds a reference: `json` must outlive it.
class JsonFields {
 public:
  /// REQUIRES (ModelFileError): an object with exactly these keys, `optional` ones aside, which
  /// files of an earlier version lack.
  JsonFields(const nlohmann::json& json, std::string where, std::initializer_list<const char*> keys,
             std::initializer_list<const char*> optional = {});

  bool has(const char* key) const;

  std::string text(const char* key) const;
  bool boolean(const char* key) const;
  double number(const char* key) const;                          ///< Finite.
  std::optional<double> optional_number(const char* key) const;  ///< null = nullopt.
  int integer(const char* key, int least, int most) const;
  std::int64_t whole(const char* key, std::int64_t least, std::int64_t most) const;
  std::vector<std::int64_t> wholes(const char* key, std::int64_t least, std::int64_t most) const;
  const nlohmann::json& array(const char* key) const;
  const nlohmann::json& value(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  /// The value of one of the words that `names` list, as names_of() of an enum does.
  template <typename Names>
  auto choice(const char* key, const Names& names) const {
    const std::string found = text(key);
    for (const auto& entry : names) {
      if (entry.name == found) return entry.value;
    }
    fail('"' + std::string(key) + "\" is \"" + found + "\", which this version does not know");
  }

  /// Throws the ModelFileError "<where>: <what>".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const nlohmann::json& json_;
  std::string where_;
};

}  // namespace knockout
