// SPDX-License-Identifier: Apache-2.0
// The reader against a twin that goes through the text character by character.
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"
#include "knockout/data/csv_scan.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

using Record = std::vector<std::string>;

/// All records of `text`, or nothing when it is malformed. Commas; a blank line is no record.
std::optional<std::vector<Record>> twin_records(std::string text, std::size_t columns) {
  if (!text.ends_with('\n')) text += '\n';
  enum class State { kFieldStart, kPlain, kQuoted, kQuoteInQuoted, kAfterQuote, kReturnAfterQuote };
  State state = State::kFieldStart;
  std::vector<Record> records;
  Record record;
  std::string field;
  bool blank_so_far = true;  // only blanks since the record began
  const auto end_field = [&](char by, bool quoted) {
    if (!quoted) {
      while (by == '\n' && field.ends_with('\r')) field.pop_back();
      while (field.ends_with(' ') || field.ends_with('\t')) field.pop_back();
    }
    record.push_back(field);
    field.clear();
    if (by == '\n') {
      const bool is_blank = blank_so_far && record.size() == 1;
      if (!is_blank || columns == 1) records.push_back(record);
      record.clear();
      blank_so_far = true;
    }
    state = State::kFieldStart;
  };
  for (const char c : text) {
    const bool ends = c == ',' || c == '\n';
    const bool is_blank = c == ' ' || c == '\t';
    if (c != '\n' && c != '\r' && !is_blank) blank_so_far = false;
    switch (state) {
      case State::kFieldStart:
        if (ends) {
          end_field(c, false);
        } else if (c == '"') {
          state = State::kQuoted;
        } else if (!is_blank) {
          field += c;
          state = State::kPlain;
        }
        break;
      case State::kPlain:
        if (ends) {
          end_field(c, false);
        } else {
          field += c;
        }
        break;
      case State::kQuoted:
        if (c == '"') {
          state = State::kQuoteInQuoted;
        } else {
          field += c;
        }
        break;
      case State::kQuoteInQuoted:
        if (c == '"') {
          field += c;
          state = State::kQuoted;
          break;
        }
        state = State::kAfterQuote;
        [[fallthrough]];
      case State::kAfterQuote:
        if (ends) {
          end_field(c, true);
        } else if (c == '\r') {
          state = State::kReturnAfterQuote;
        } else if (!is_blank) {
          return std::nullopt;
        }
        break;
      case State::kReturnAfterQuote:  // belongs to the line end or is a mistake
        if (c == '\n') {
          end_field(c, true);
        } else if (c != '\r') {
          return std::nullopt;
        }
        break;
    }
  }
  if (state != State::kFieldStart || !record.empty()) return std::nullopt;
  for (const Record& each : records) {
    if (each.size() != columns) return std::nullopt;
  }
  if (columns == 1) {
    std::size_t lines_end = text.find_last_not_of(" \t\r\n");
    lines_end = lines_end == std::string::npos ? 0 : text.find('\n', lines_end) + 1;
    for (char c : text.substr(lines_end)) {
      if (c == '\n') records.pop_back();
    }
  }
  return records;
}

bool is_only_blanks(const std::string& cell) {
  return cell.find_first_not_of(" \t") == std::string::npos;
}

std::string shown(const std::string& text) { return ::testing::PrintToString(text); }

void expect_like_twin(const std::string& body, std::size_t columns, int threads,
                      std::size_t chunk_bytes) {
  const std::string header = columns == 1 ? "a\n" : columns == 2 ? "a,b\n" : "a,b,c\n";
  // A first row of the right length, so that longer ones have no names of rows.
  const std::string first = columns == 1 ? "x\n" : columns == 2 ? "x,y\n" : "x,y,z\n";
  const auto expected = twin_records(first + body, columns);
  CsvOptions options;
  options.delimiter = ',';
  options.has_header = true;
  options.text_columns = {"*"};
  options.threads = threads;
  options.chunk_bytes = chunk_bytes;
  std::optional<Table> table;
  std::string error;
  try {
    table = read_csv_text(header + first + body, "t.csv", options);
  } catch (const DataError& thrown) {
    error = thrown.what();
  }
  ASSERT_EQ(table.has_value(), expected.has_value()) << shown(body) << "\n" << error;
  if (!table) return;
  ASSERT_EQ(table->rows(), expected->size()) << shown(body);
  for (std::size_t row = 0; row < table->rows(); ++row) {
    for (std::size_t c = 0; c < columns; ++c) {
      const Column& column = table->column(c);
      const std::string& cell = (*expected)[row][c];
      if (is_only_blanks(cell)) {
        ASSERT_EQ(column.state(row), CellState::kMissing) << shown(body);
        ASSERT_EQ(column.codes()[row], -1);
      } else {
        ASSERT_TRUE(column.observed(row)) << shown(body);
        ASSERT_EQ(column.word(row), cell) << shown(body);
      }
    }
  }
}

TEST(CsvParallel, AgreesWithTheTwinOnRandomBytes) {
  std::mt19937_64 random(3);
  const std::string alphabet = "ab1,,,\"\"\n\n \r\t";
  for (int round = 0; round < 20'000; ++round) {
    std::string body;
    for (std::size_t i = random() % 24; i > 0; --i) body += alphabet[random() % alphabet.size()];
    expect_like_twin(body, 1 + random() % 3, 1 + static_cast<int>(random() % 2), 1 + random() % 8);
    if (HasFatalFailure()) return;
  }
}

/// A cell as a careless program could write it.
std::string random_cell(std::mt19937_64& random) {
  static const std::vector<std::string> pieces = {"a",  "bc",   "1.5",  " ",      "\xC3\xA9", ",",
                                                  "\n", "\r\n", "\"\"", "x\n\ny", "long word"};
  std::string cell;
  if (random() % 3 == 0) {
    for (std::size_t i = random() % 5; i > 0; --i) cell += pieces[random() % pieces.size()];
    return (random() % 4 == 0 ? " \"" : "\"") + cell + (random() % 4 == 0 ? "\" " : "\"");
  }
  for (std::size_t i = random() % 3; i > 0; --i) cell += pieces[random() % 5];
  if (random() % 10 == 0 && !cell.empty() && cell.find_first_not_of(' ') != std::string::npos) {
    cell += "\"inch";
  }
  return cell;
}

TEST(CsvParallel, AgreesWithTheTwinOnRandomTablesForAnyThreadsAndChunks) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; ++round) {
    const std::size_t columns = 1 + random() % 3;
    std::string body;
    for (std::size_t row = random() % 60; row > 0; --row) {
      for (std::size_t c = 0; c < columns; ++c) {
        if (c > 0) body += ',';
        body += random_cell(random);
      }
      body += random() % 2 == 0 ? "\n" : "\r\n";
      if (random() % 10 == 0) body += "  \n";
    }
    for (const int threads : {1, 2, 3, 8}) {
      for (const std::size_t chunk_bytes : {1U, 5U, 64U, 4096U}) {
        expect_like_twin(body, columns, threads, chunk_bytes);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(CsvParallel, GivesTheSameTableForAnyThreadsAndChunks) {
  std::mt19937_64 random(6);
  std::ostringstream text;
  text << "n,w,late,note\n";
  for (int row = 0; row < 4000; ++row) {
    if (random() % 5 != 0) text << static_cast<double>(random() % 100000) / 64.0;
    text << ",w" << random() % 50 << ",";
    if (row > 3000 && random() % 3 == 0) text << random() % 7;
    text << ",";
    if (random() % 4 == 0) text << "\"a\n\"\"" << random() % 10 << "\"\"\"";
    text << (random() % 20 == 0 ? "\n\n" : "\n");
  }
  CsvOptions options;
  options.threads = 1;
  const Table expected = read_csv_text(text.str(), "t.csv", options);
  ASSERT_EQ(expected.rows(), 4000U);
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::size_t chunk_bytes : {3U, 100U, 5000U, 1000000U}) {
      options.threads = threads;
      options.chunk_bytes = chunk_bytes;
      const Table table = read_csv_text(text.str(), "t.csv", options);
      ASSERT_EQ(table.rows(), expected.rows());
      for (std::size_t c = 0; c < expected.column_count(); ++c) {
        EXPECT_EQ(table.column(c).is_text(), expected.column(c).is_text());
        EXPECT_EQ(listed(table.column(c).numbers()), listed(expected.column(c).numbers()));
        EXPECT_EQ(listed(table.column(c).codes()), listed(expected.column(c).codes()));
        EXPECT_EQ(listed(table.column(c).words()), listed(expected.column(c).words()));
        EXPECT_EQ(listed(table.column(c).states()), listed(expected.column(c).states()));
      }
      for (std::size_t row = 0; row < expected.rows(); ++row) {
        ASSERT_EQ(table.where(row), expected.where(row));
      }
    }
  }
}

TEST(CsvParallel, FindsBinaryBytesAcrossBlocks) {
  // Blocks of the scan are 2^18 bytes; characters of every length straddle the cut.
  for (const std::string character : {"\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    for (std::size_t before = (1U << 18) - 5; before < (1U << 18) + 2; ++before) {
      const std::string text = std::string(before, 'a') + character + std::string(300'000, 'b');
      EXPECT_EQ(find_binary_byte(text, 2), std::string_view::npos) << before;
      const std::string cut = std::string(before, 'a') + character.substr(0, character.size() - 1) +
                              std::string(300'000, 'b');
      EXPECT_EQ(find_binary_byte(cut, 2), before);
      const std::string stray = std::string(before, 'a') + "\x80" + std::string(300'000, 'b');
      EXPECT_EQ(find_binary_byte(stray, 2), before);
    }
  }
  for (const std::string bad : {"\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                                "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF"}) {
    EXPECT_EQ(find_binary_byte("ok" + bad + "ok", 1), 2U);
  }
}

}  // namespace
}  // namespace knockout
