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

TEST(CsvWriter, WritesNumbersInTheirShortestForm) {
  const Table table({Column::numbers("x", {0.1, 100000, -3, 1e300, -0.0, 0.5, 1e15, 123456789.25},
                                     std::vector<CellState>(8, kObserved))});
  EXPECT_EQ(write_csv_text(table), "x\n0.1\n100000\n-3\n1e+300\n-0\n0.5\n1e+15\n123456789.25\n");
}

TEST(CsvWriter, WritesGapsAsEmptyAndReasonsAsInf) {
  const Table table({Column::numbers("x", {1, 0, 0}, {kObserved, kMissing, kReason}),
                     Column::numbers("y", {0, 0, 3}, {kMissing, kMissing, kObserved})});
  EXPECT_EQ(write_csv_text(table), "x,y\n1,\n,\ninf,3\n");
}

TEST(CsvWriter, QuotesOnlyWhatNeedsIt) {
  const Column column = Column::words(
      "a,b", {"plain", "with,comma", "say \"hi\"", "two\nlines", " blank", "semi;colon"});
  EXPECT_EQ(write_csv_text(Table({column})),
            "\"a,b\"\nplain\n\"with,comma\"\n\"say \"\"hi\"\"\"\n\"two\nlines\"\n\" blank\"\n"
            "semi;colon\n");
}

TEST(CsvWriter, QuotesWhatWouldBeMoreThanACellAtTheStartOrTheEndOfAFile) {
  for (const std::string word : {"#1", "% of all", "{a}", "@relation", "--", "sep=;", "z\x1A"}) {
    const Column column = Column::words(word, {"x", word});
    CsvOptions options;
    options.has_header = true;
    const Table again = read_csv_text(write_csv_text(Table({column})), "d.csv", options);
    ASSERT_EQ(again.rows(), 2U) << word;
    EXPECT_EQ(again.names(), std::vector<std::string>{word});
    EXPECT_EQ(again.column(0).word(1), word);
  }
}

TEST(CsvWriter, KeepsTheGapsOfASingleColumn) {
  const Table table({Column::numbers("x", {0, 1, 0}, {kMissing, kObserved, kMissing})});
  const std::string text = write_csv_text(table);
  EXPECT_EQ(text, "x\n\"\"\n1\n\"\"\n");
  EXPECT_EQ(listed(read_csv_text(text, "t").column(0).states()), listed(table.column(0).states()));
}

TEST(CsvWriter, WritesTheSidesOfALimitAsInfinities) {
  const Table table({Column::numbers("x", {0, 0, 1}, {kBelow, kAbove, kObserved})});
  EXPECT_EQ(write_csv_text(table), "x\n-inf\ninf\n1\n");
  EXPECT_EQ(read_csv_text(write_csv_text(table), "t").column(0), table.column(0));
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
    read_options.reason_words = {"refused"};
    for (std::size_t c = 0; c < column_count; ++c) {
      const std::string name = "c" + std::to_string(c);
      const bool is_text = random() % 2 == 0;
      if (is_text) read_options.text_columns.push_back(name);
      std::vector<CellState> states;
      std::vector<double> numbers;
      std::vector<std::string> words(is_text ? rows : 0);
      for (std::size_t row = 0; row < rows; ++row) {
        // Words have no sides; of numbers, infinities do.
        const CellState gap = static_cast<CellState>(random() % 3);
        const CellState limit = random() % 2 == 0 ? kBelow : kAbove;
        states.push_back(random() % 3 != 0 ? kObserved : gap == kReason && !is_text ? limit : gap);
        if (is_text && states[row] == kObserved) {
          words[row] = "w";
          for (std::size_t i = random() % 4; i > 0; --i) {
            words[row] += pieces[random() % pieces.size()];
          }
        } else if (!is_text) {
          const auto any = std::bit_cast<double>(random());
          numbers.push_back(std::isfinite(any) ? any : 0.0);
        }
      }
      columns.push_back(is_text ? Column::words(name, words, states)
                                : Column::numbers(name, numbers, states));
    }
    const Table table(columns);
    CsvWriteOptions options;
    options.delimiter = random() % 2 == 0 ? ',' : ';';
    options.reason_word = "refused";
    read_options.delimiter = options.delimiter;
    const std::string text = write_csv_text(table, options);
    const Table again = read_csv_text(text, "again", read_options);
    ASSERT_EQ(again.names(), table.names());
    for (std::size_t c = 0; c < column_count; ++c) {
      EXPECT_EQ(again.column(c), columns[c]) << text;
    }
  }
}

TEST(CsvWriter, ReplacesAFileOnlyWhole) {
  const fs::path path =
      fs::temp_directory_path() / ("knockout_writer_" + std::to_string(::getpid()) + ".csv");
  std::ofstream(path) << "old";
  write_csv(Table({Column::numbers("x", {1}, {kObserved})}), path);
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
        write_csv(Table({Column::numbers("x", {1}, {kObserved})}), "-");
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
