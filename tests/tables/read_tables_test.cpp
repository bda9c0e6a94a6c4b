// SPDX-License-Identifier: Apache-2.0
// Tables as people export them are read as an expert would read them: each file below this folder
// stands beside NAME.expected.json, which says what an expert would see in it.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "../cli/run_command.h"
#include "table_expectation.h"

namespace knockout::test {
namespace {

constexpr std::size_t kLeastTables = 80;

TEST(TableComparison, FindsNothingWhereAllIsAsExpected) {
  const Json expected = Json::parse(R"({"rows": 3, "notes": [["identifier", "id"]], "columns": {
      "id": {"set_aside": "identifier"}, "day": {"kind": "date", "missing": 1, "low": "2020-01-05"},
      "crp": {"kind": "continuous", "missing": 2, "for_a_reason": 1, "low": 0.3, "high": 9},
      "y": {"role": "target", "task": "classification", "missing": 0, "values": 2}}})");
  const Json found = Json::parse(R"({"rows": 3, "columns": [
      {"name": "id", "role": "set aside", "reason": "looks like an identifier",
       "kind": "categorical", "missing": 0, "missing_for_a_reason": 0},
      {"name": "day", "role": "input", "kind": "date", "missing": 1, "missing_for_a_reason": 0,
       "low": "2020-01-05 10:00:00", "high": "2020-02-01"},
      {"name": "crp", "role": "input", "kind": "continuous", "missing": 2,
       "missing_for_a_reason": 1, "low": 0.3, "high": 9.0},
      {"name": "y", "role": "target", "kind": "categorical", "task": "classification",
       "missing": 0, "missing_for_a_reason": 0, "distinct": 2}],
      "warnings": [{"code": "identifier", "column": "id", "text": "."}]})");
  EXPECT_EQ(TableComparison().compare(expected, found), std::vector<std::string>());
}

TEST(TableComparison, GivesEachDifferenceALine) {
  const Json expected = Json::parse(R"({"rows": 3, "notes": [["stray_words", "a"]], "columns": {
      "a": {"kind": "continuous", "missing": 2, "low": 1}, "b": {"set_aside": "identifier"}}})");
  const Json found = Json::parse(R"({"rows": 4, "columns": [
      {"name": "a", "role": "input", "kind": "categorical", "missing": 2,
       "missing_for_a_reason": 1, "distinct": 2},
      {"name": "b", "role": "input", "kind": "continuous", "missing": 0,
       "missing_for_a_reason": 0}],
      "warnings": [{"code": "leak", "column": "a", "text": "It leaks."}]})");
  const std::vector<std::string> lines = {
      "rows should be 3, found 4",
      "column \"a\": kind should be \"continuous\", found \"categorical\"",
      "column \"a\": low should be 1, found null",
      "column \"a\": missing for a reason should be 0, found 1",
      "column \"b\": the role should be set aside, found input",
      "a false alarm, leak \"a\": It leaks.",
      "no word of stray_words \"a\""};
  EXPECT_EQ(TableComparison().compare(expected, found), lines);
}

class ReadTables : public CommandTest {
 protected:
  /// What `knockout inspect` makes of the table that an expert would not, a line each.
  std::vector<std::string> differences(const ExpectedTable& table) const {
    std::vector<std::string> arguments = {"inspect", table.data.string(), "--json"};
    arguments.insert(arguments.end(), table.options.begin(), table.options.end());
    const Outcome outcome = run(arguments);
    if (table.expected.contains("refused")) {
      const auto phrase = table.expected.at("refused").get<std::string>();
      const int code = table.expected.at("exit").get<int>();
      if (outcome.exit_code == code && outcome.err.find(phrase) != std::string::npos) return {};
      return {fmt::format("should be refused with {} and \"{}\", found {}: {}", code, phrase,
                          outcome.exit_code, outcome.err)};
    }
    if (outcome.exit_code != 0) {
      return {fmt::format("exit code {}: {}", outcome.exit_code, outcome.err)};
    }
    try {
      return TableComparison().compare(table.expected, Json::parse(outcome.out));
    } catch (const std::exception& error) {
      return {fmt::format("cannot be compared: {}", error.what())};
    }
  }
};

TEST_F(ReadTables, AsAnExpertWould) {
  const std::filesystem::path folder =
      std::filesystem::path(KNOCKOUT_SOURCE_DIR) / "tests" / "tables";
  const std::vector<ExpectedTable> tables = find_tables(folder);
  EXPECT_GE(tables.size(), kLeastTables);
  std::size_t right = 0;
  for (const ExpectedTable& table : tables) {
    const std::vector<std::string> lines = differences(table);
    right += lines.empty();
    for (const std::string& line : lines) {
      fmt::print("{}: {}\n", table.data.lexically_relative(folder).string(), line);
    }
  }
  fmt::print("{} of {} tables are read as an expert would\n", right, tables.size());
  std::fflush(stdout);
  EXPECT_EQ(right, tables.size());
}

}  // namespace
}  // namespace knockout::test
