// SPDX-License-Identifier: Apache-2.0
// Tables as people export them are read as an expert would read them: each file below this folder
// stands beside NAME.expected.json, which was written by hand before the code.
#include <gtest/gtest.h>

#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "../cli/run_command.h"
#include "table_expectation.h"

namespace knockout::test {
namespace {

constexpr std::size_t kLeastTables = 80;

class ReadTables : public CommandTest {
 protected:
  /// What `knockout inspect` makes of the table that an expert would not, a line each.
  std::vector<std::string> differences(const ExpectedTable& table) const {
    std::vector<std::string> arguments = {"inspect", table.data.string(), "--json"};
    arguments.insert(arguments.end(), table.options.begin(), table.options.end());
    const Outcome outcome = run(arguments);
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
