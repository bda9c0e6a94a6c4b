// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  const nlohmann::json& array(const char* key) const;
  const nlohmann::json& value(const char* key) const;
  std::vector<std::string> texts(const char* key) const;

  /// Throws the ModelFileError "<where>: <what>".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  const nlohmann::json& json_;
  std::string where_;
};

}  // namespace knockout
