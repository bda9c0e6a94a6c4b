// SPDX-License-Identifier: Apache-2.0
// ampute: what is not removed stays as it was written, byte for byte.
#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

class AmputeBytes : public CommandTest {};

/// A table as an office program of a country with decimal commas writes it: codes with leading
/// zeros, integers of 17 digits, quotes, blank lines, CRLF.
std::string office_table() {
  std::string text = "\xEF\xBB\xBF\"zip\";account; amount ;note\r\n";
  for (int row = 0; row < 40; ++row) {
    text += "0" + std::to_string(3400 + row) + ";123456789012345" + std::to_string(10 + row) +
            "; " + std::to_string(row) + ",50 ;\"a \"\"" + std::to_string(row) + "\"\"; b\"\r\n";
    if (row % 10 == 3) text += "\r\n";
  }
  return text;
}

std::vector<std::string> split(const std::string& text, const std::string& at) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find(at, begin)) != std::string::npos;
       begin = end + at.size()) {
    parts.push_back(text.substr(begin, end - begin));
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// The cells of one line of office_table(), in which only the last one holds the delimiter.
std::vector<std::string> office_cells(const std::string& line) {
  std::vector<std::string> cells = split(line, ";");
  if (cells.size() == 5) {
    cells[3] += ";" + cells[4];
    cells.pop_back();
  }
  return cells;
}

/// Lines match but for cells that are empty now. Returns how many are.
std::size_t expect_only_removals(const std::string& before, const std::string& after) {
  const auto lines = split(before, "\r\n"), left = split(after, "\r\n");
  EXPECT_EQ(lines.size(), left.size());
  std::size_t removed = 0;
  for (std::size_t i = 0; i < std::min(lines.size(), left.size()); ++i) {
    const auto cells = office_cells(lines[i]), now = office_cells(left[i]);
    EXPECT_EQ(cells.size(), now.size()) << left[i];
    for (std::size_t c = 0; c < std::min(cells.size(), now.size()); ++c) {
      if (now[c] == cells[c]) continue;
      EXPECT_EQ(now[c], "") << lines[i];
      EXPECT_GT(i, 0U) << "the header stays";
      ++removed;
    }
  }
  return removed;
}

TEST_F(AmputeBytes, OnlyRemovedCellsChange) {
  write("office.csv", office_table());
  const Outcome outcome =
      run({"ampute", "office.csv", "--rate", "0.3", "-o", "gaps.csv", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const nlohmann::json report = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(report["observed"], 160);
  EXPECT_GT(report["removed"], 30);
  EXPECT_EQ(report["removed"], expect_only_removals(office_table(), read("gaps.csv")));
}

TEST_F(AmputeBytes, AlsoFromStandardInputAndFromGzip) {
  write("office.csv", office_table());
  ASSERT_EQ(run({"ampute", "office.csv", "-o", "gaps.csv"}).exit_code, 0);
  const Outcome piped = shell("cat office.csv | \"$K\" ampute - ");
  EXPECT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_TRUE(piped.out == read("gaps.csv"));
  const Outcome packed = shell("gzip -k office.csv && \"$K\" ampute office.csv.gz");
  EXPECT_EQ(packed.exit_code, 0) << packed.err;
  EXPECT_TRUE(packed.out == read("gaps.csv"));
}

TEST_F(AmputeBytes, WithNothingToRemoveTheFileIsTheSame) {
  for (const std::string& text :
       {office_table(), std::string("a,b\n1,2\n3,4"), std::string("a\tb\r1\t\"x\ny\"\r\r"),
        std::string("a\n\n1\n\n")}) {
    write("data.csv", text);
    const Outcome outcome = run({"ampute", "data.csv", "--rate", "0", "-o", "same.csv"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(read("same.csv") == text) << read("same.csv");
  }
}

TEST_F(AmputeBytes, ColumnsThatAreKeptStayWhole) {
  write("office.csv", office_table());
  const Outcome outcome = run({"ampute", "office.csv", "--keep", "zip,account,note", "--mechanism",
                               "mnar", "--rate", "0.25", "-o", "gaps.csv"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(expect_only_removals(office_table(), read("gaps.csv")), 10U);
  for (const char* kept : {" 0,50 ", " 29,50 "}) {
    EXPECT_TRUE(contains(read("gaps.csv"), kept)) << kept;
  }
  for (const char* gone : {" 30,50 ", " 39,50 "}) {
    EXPECT_FALSE(contains(read("gaps.csv"), gone)) << gone;
  }
}

TEST_F(AmputeBytes, AFileOfOneColumnKeepsItsRows) {
  std::string text = "x\n";
  for (int row = 0; row < 20; ++row) text += std::to_string(row) + "\n";
  write("one.csv", text);
  const Outcome outcome = run({"ampute", "one.csv", "--mechanism", "mnar", "--rate", "0.1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string end = "17\n\"\"\n\"\"\n";
  EXPECT_TRUE(outcome.out.ends_with(end)) << outcome.out;
}

}  // namespace
}  // namespace knockout::test
