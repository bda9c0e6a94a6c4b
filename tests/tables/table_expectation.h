// SPDX-License-Identifier: Apache-2.0
// What an expert sees in a table, and how far `knockout inspect --json` is from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace knockout::test {

using Json = nlohmann::ordered_json;

/// A table of the corpus and the file beside it that says what an expert sees.
struct ExpectedTable {
  std::filesystem::path data;
  Json expected;
  std::vector<std::string> options;
};

/// The file that NAME.expected.json is about: NAME with another ending.
inline std::filesystem::path table_beside(const std::filesystem::path& expected) {
  const std::string name = expected.stem().stem().string();
  for (const auto& entry : std::filesystem::directory_iterator(expected.parent_path())) {
    const std::filesystem::path& path = entry.path();
    if (path != expected && path.stem() == name) return path;
  }
  throw std::runtime_error("no table stands beside " + expected.string());
}

/// All tables below a folder, in the order of their paths.
inline std::vector<ExpectedTable> find_tables(const std::filesystem::path& folder) {
  std::vector<ExpectedTable> tables;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() != ".json" || path.stem().extension() != ".expected") continue;
    ExpectedTable& table = tables.emplace_back();
    std::ifstream file(path);
    table.data = table_beside(path);
    table.expected = Json::parse(file);
    table.options = table.expected.value("options", std::vector<std::string>{});
  }
  std::sort(tables.begin(), tables.end(),
            [](const auto& a, const auto& b) { return a.data < b.data; });
  return tables;
}

/// Collects what differs, a line each.
class TableComparison {
 public:
  std::vector<std::string> compare(const Json& expected, const Json& found) {
    same("rows", expected.at("rows"), found.at("rows"));
    if (same_names(expected.at("columns"), found.at("columns"))) {
      std::size_t place = 0;
      for (const auto& [name, column] : expected.at("columns").items()) {
        where_ = fmt::format("column \"{}\": ", name);
        compare_column(column, found.at("columns")[place++]);
      }
      where_.clear();
    }
    compare_notes(expected.at("notes"), found.at("warnings"));
    return std::move(lines_);
  }

 private:
  static std::string text_of(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void differ(const std::string& what, const std::string& expected, const std::string& found) {
    lines_.push_back(fmt::format("{}{} should be {}, found {}", where_, what, expected, found));
  }
  void same(const std::string& what, const Json& expected, const Json& found) {
    if (expected != found) differ(what, text_of(expected), text_of(found));
  }

  bool same_names(const Json& expected, const Json& found) {
    Json expected_names = Json::array(), found_names = Json::array();
    for (const auto& [name, column] : expected.items()) expected_names.push_back(name);
    for (const Json& column : found) found_names.push_back(column.at("name"));
    same("the columns", expected_names, found_names);
    return expected_names == found_names;
  }

  void compare_column(const Json& expected, const Json& found) {
    if (!same_role(expected, found)) return;
    for (const auto& [field, value] : expected.items()) {
      if (field == "missing" || field == "kind" || field == "task") {
        same(field, value, found.value(field, Json()));
      } else if (field == "values") {
        same(field, value, found.value("distinct", Json()));
      } else if (field == "above") {  // of those for a reason
        same("above a limit", value, found.at("above_limit"));
      } else if (field == "low" || field == "high") {
        compare_bound(field, value, found.value(field, Json()));
      } else if (field != "role" && field != "set_aside" && field != "for_a_reason") {
        lines_.push_back(fmt::format("{}the expectation names an unknown \"{}\"", where_, field));
      }
    }
    if (!expected.contains("set_aside")) {
      same("missing for a reason", expected.value("for_a_reason", 0),
           found.at("missing_for_a_reason"));
    }
  }

  /// A column in the wrong role differs in nothing else worth a line.
  bool same_role(const Json& expected, const Json& found) {
    const std::string role =
        expected.contains("set_aside") ? "set aside" : expected.value("role", "input");
    const std::string found_role = found.at("role").get<std::string>();
    const std::string reason = found.value("reason", "");
    if (role != found_role) {
      differ("the role", role, reason.empty() ? found_role : found_role + " (" + reason + ")");
      return false;
    }
    const std::string why = expected.value("set_aside", "");
    if (reason.find(why) == std::string::npos) differ("the reason", why, reason);
    return true;
  }

  void compare_bound(const std::string& field, const Json& expected, const Json& found) {
    bool close = false;
    if (expected.is_number() && found.is_number()) {
      const double a = expected.get<double>(), b = found.get<double>();
      close = std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
    } else if (expected.is_string() && found.is_string()) {
      // A day stands for any time of it, and a second for any fraction.
      std::string date = found.get<std::string>();
      std::replace(date.begin(), date.end(), ' ', 'T');
      close = date.rfind(expected.get<std::string>(), 0) == 0;
    }
    if (!close) differ(field, text_of(expected), text_of(found));
  }

  void compare_notes(const Json& expected, const Json& found) {
    std::set<std::pair<std::string, std::string>> awaited;
    for (const Json& note : expected) {
      awaited.emplace(note.at(0).get<std::string>(), note.at(1).get<std::string>());
    }
    std::set<std::pair<std::string, std::string>> heard;
    for (const Json& note : found) {
      const std::string code = note.at("code").get<std::string>();
      const std::string column = note.at("column").get<std::string>();
      const bool is_new = heard.emplace(code, column).second;
      if (!is_new && code == "number_like") {
        lines_.push_back(fmt::format("{} \"{}\" is said twice", code, column));
      }
      if (awaited.count({code, column}) > 0) continue;
      lines_.push_back(fmt::format("a false alarm, {} \"{}\": {}", code, column,
                                   note.at("text").get<std::string>()));
    }
    for (const auto& [code, column] : awaited) {
      if (heard.count({code, column}) > 0) continue;
      lines_.push_back(fmt::format("no word of {} \"{}\"", code, column));
    }
  }

  std::string where_;
  std::vector<std::string> lines_;
};

}  // namespace knockout::test
