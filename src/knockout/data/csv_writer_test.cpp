// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_writer.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

namespace fs = std::filesystem;

Column numbers(const std::string& name, std::vector<double> values, std::vector<CellState> states) {
  Column column;
  column.name = name;
  column.numbers = std::move(values);
  column.states = std::move(states);
  return column;
}

TEST(CsvWriter, WritesNumbersInTheirShortestForm) {
  const Table table({numbers("x", {0.1, 100000, -3, 1e300, -0.0, 0.5, 1e15, 123456789.25},
                             std::vector<CellState>(8, kObserved))});
  EXPECT_EQ(write_csv_text(table), "x\n0.1\n100000\n-3\n1e+300\n-0\n0.5\n1e+15\n123456789.25\n");
}

TEST(CsvWriter, WritesGapsAsEmptyAndReasonsAsInf) {
  const Table table({numbers("x", {1, 0, 0}, {kObserved, kMissing, kReason}),
                     numbers("y", {0, 0, 3}, {kMissing, kMissing, kObserved})});
  EXPECT_EQ(write_csv_text(table), "x,y\n1,\n,\ninf,3\n");
}

TEST(CsvWriter, QuotesOnlyWhatNeedsIt) {
  Column column;
  column.name = "a,b";
  column.is_text = true;
  column.words = {"plain", "with,comma", "say \"hi\"", "two\nlines", " blank", "semi;colon"};
  column.codes = {0, 1, 2, 3, 4, 5};
  column.states.assign(6, kObserved);
  EXPECT_EQ(write_csv_text(Table({column})),
            "\"a,b\"\nplain\n\"with,comma\"\n\"say \"\"hi\"\"\"\n\"two\nlines\"\n\" blank\"\n"
            "semi;colon\n");
}

TEST(CsvWriter, KeepsTheGapsOfASingleColumn) {
  const Table table({numbers("x", {0, 1, 0}, {kMissing, kObserved, kMissing})});
  const std::string text = write_csv_text(table);
  EXPECT_EQ(text, "x\n\"\"\n1\n\"\"\n");
  EXPECT_EQ(read_csv_text(text, "t").column(0).states, table.column(0).states);
}

TEST(CsvWriter, GivesBackRandomTables) {
  std::mt19937_64 random(5);
  const std::vector<std::string> pieces = {"a",  "b",  ",", ";",  "\"",
                                           "\n", "\r", " ", "\t", "\xC3\xA9"};
  for (int round = 0; round < 300; ++round) {
    const std::size_t rows = random() % 20;
    const std::size_t column_count = 1 + random() % 4;
    std::vector<Column> columns;
    CsvOptions read_options;
    read_options.reason_words = {"<LOD"};
    for (std::size_t c = 0; c < column_count; ++c) {
      Column column;
      column.name = "c" + std::to_string(c);
      column.is_text = random() % 2 == 0;
      if (column.is_text) read_options.text_columns.push_back(column.name);
      for (std::size_t row = 0; row < rows; ++row) {
        const CellState state =
            random() % 3 == 0 ? static_cast<CellState>(random() % 3) : kObserved;
        column.states.push_back(state);
        if (column.is_text && state == kObserved) {
          std::string word = "w";
          for (std::size_t i = random() % 4; i > 0; --i) word += pieces[random() % pieces.size()];
          std::size_t code = 0;
          while (code < column.words.size() && column.words[code] != word) ++code;
          if (code == column.words.size()) column.words.push_back(word);
          column.codes.push_back(static_cast<std::int32_t>(code));
        } else if (column.is_text) {
          column.codes.push_back(-1);
        } else {
          const auto any = std::bit_cast<double>(random());
          column.numbers.push_back(state == kObserved && std::isfinite(any) ? any : 0.0);
        }
      }
      columns.push_back(std::move(column));
    }
    const Table table(columns);
    CsvWriteOptions options;
    options.delimiter = random() % 2 == 0 ? ',' : ';';
    options.reason_word = "<LOD";
    read_options.delimiter = options.delimiter;
    const std::string text = write_csv_text(table, options);
    const Table again = read_csv_text(text, "again", read_options);
    ASSERT_EQ(again.names(), table.names());
    for (std::size_t c = 0; c < column_count; ++c) {
      EXPECT_EQ(again.column(c).is_text, columns[c].is_text) << text;
      EXPECT_EQ(again.column(c).states, columns[c].states) << text;
      EXPECT_EQ(again.column(c).numbers, columns[c].numbers) << text;
      EXPECT_EQ(again.column(c).codes, columns[c].codes) << text;
      EXPECT_EQ(again.column(c).words, columns[c].words) << text;
    }
  }
}

TEST(CsvWriter, ReplacesAFileOnlyWhole) {
  const fs::path path =
      fs::temp_directory_path() / ("knockout_writer_" + std::to_string(::getpid()) + ".csv");
  std::ofstream(path) << "old";
  write_csv(Table({numbers("x", {1}, {kObserved})}), path);
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  EXPECT_EQ(content.str(), "x\n1\n");
  fs::remove(path);
}

TEST(CsvWriter, FailsWhenStandardOutputIsFull) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    int code = 1;
    if (std::freopen("/dev/full", "wb", stdout) != nullptr) {
      try {
        write_csv(Table({numbers("x", {1}, {kObserved})}), "-");
      } catch (const FileError& error) {
        code = std::string(error.what()).find("standard output") != std::string::npos ? 0 : 2;
      }
    }
    ::_exit(code);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace knockout
