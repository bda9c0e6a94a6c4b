// SPDX-License-Identifier: Apache-2.0
// What the CSV reader says about files that it cannot use.
#include <gtest/gtest.h>

#include <string>

#include "knockout/base/error.h"
#include "knockout/data/csv_reader.h"

namespace knockout {
namespace {

/// The message of the DataError that reading `text` gives, or "" when it gives none.
std::string message_of(const std::string& text, const CsvOptions& options = {}) {
  try {
    read_csv_text(text, "t.csv", options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "";
}

void expect_says(const std::string& message, std::initializer_list<const char*> parts) {
  for (const char* part : parts) {
    EXPECT_NE(message.find(part), std::string::npos) << "no <" << part << "> in:\n" << message;
  }
}

std::string rows_of_numbers(int rows) {
  std::string text = "age,x\n";
  for (int i = 0; i < rows; ++i) text += "30,1\n";
  return text;
}

TEST(CsvErrors, CountsLinesWithinQuotesAndBlankLines) {
  std::string text = "age,note\n\n";
  for (int i = 0; i < 1100; ++i) text += "30,\"two\nlines\"\n";
  expect_says(message_of(text + "\n\nold\n"), {"t.csv:2205: 1 field "});
}

TEST(CsvErrors, ReportsTheFirstProblemForAnyNumberOfThreads) {
  std::string text = rows_of_numbers(3000);
  text += "30,word\n" + std::string("30,1\n30\nsecond,1\n") + "1,2,3\n\"never closed";
  const std::string expected = message_of(text);
  expect_says(expected, {"t.csv:3004", "1 field "});
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::size_t chunk_bytes : {1U, 10U, 1000U, 100000U}) {
      CsvOptions options;
      options.threads = threads;
      options.chunk_bytes = chunk_bytes;
      EXPECT_EQ(message_of(text, options), expected);
    }
  }
}

TEST(CsvErrors, NamesTheLineOfARaggedRow) {
  expect_says(message_of("a,b,c\n1,2,3\n1,2\n"),
              {"t.csv:3: 2 fields where the header names 3 columns", "\"1,2\""});
  expect_says(message_of("a,b\n1,2,3,4\n"), {"t.csv:2: 4 fields", "2 columns", "in quotes"});
  expect_says(message_of("a,b\n1,2,\n1,2\n"), {"t.csv:2", "ends with a delimiter"});
  expect_says(message_of("a,b\nr1,1,2\n1,2\n"), {"row name"});
  expect_says(message_of("a,b\n1,2\ntotal\n"), {"t.csv:3: 1 field ", "footnote"});
}

TEST(CsvErrors, ComparesARaggedRowWithTheOthersWhereTheHeaderIsShort) {
  std::string text = "a,b\n";
  for (int i = 0; i < 200; ++i) text += std::to_string(i) + ",1,2\n";
  expect_says(message_of(text + "200,2\n"), {"t.csv:202: 2 fields where the lines above have 3"});
}

TEST(CsvErrors, ShowsLongAndStrangeCellsSafely) {
  expect_says(message_of("a,b\n" + std::string(1000, 'x') + "\x1b[31m\n"), {"xxx...\""});
  expect_says(message_of("a,b\n1,2\n\x1b[31m\n"), {"\"\\x1b[31m\""});
}

TEST(CsvErrors, NamesTheLineWhereAnUnclosedQuoteOpens) {
  expect_says(message_of("a,b\n1,x\n2,\"open\n3,y\n"),
              {"t.csv:3, column \"b\"", "never closed", "\"open"});
  expect_says(message_of("a,\"b\n1,2\n"), {"t.csv:1", "never closed"});
}

TEST(CsvErrors, RefusesTextAfterAClosingQuote) {
  expect_says(message_of("a,b\n1,\"x\" y\n"),
              {"t.csv:2, column \"b\"", "follows the closing quote"});
  expect_says(message_of("a,b\n1,\"open\n2,\"x\"\n"), {"t.csv:2, column \"b\"", "on line 3"});
}

TEST(CsvErrors, RefusesAFileWithoutHeader) {
  expect_says(message_of("1,2\n3,4\n"),
              {"t.csv:1", "only numbers", "`has_header = no`", "`has_header = yes`"});
}

TEST(CsvErrors, RefusesAnEmptyFile) {
  for (const char* text : {"", "\n", " \n\t\r\n", "\xEF\xBB\xBF", "sep=;\n"}) {
    expect_says(message_of(text), {"t.csv: the file is empty", "header"});
  }
}

TEST(CsvErrors, RefusesFieldsSeparatedByBlanks) {
  expect_says(message_of("a b c\n1 2  3\n"), {"t.csv:2", "separated by blanks"});
}

TEST(CsvErrors, SaysWhatABinaryFileSeemsToBe) {
  const auto binary = [](const std::string& start) { return start + std::string(8, '\0') + "\n"; };
  expect_says(message_of(binary("PK\x03\x04")), {"spreadsheet"});
  expect_says(message_of(binary("PAR1")), {"Parquet"});
  expect_says(message_of(binary("\x89HDF\r\n")), {"HDF5"});
  expect_says(message_of(binary("\x89PNG\r\n")), {"PNG"});
  expect_says(message_of(binary(std::string(257, 'n') + "ustar")), {"tar archive", "Unpack"});
  expect_says(message_of("<!DOCTYPE html><html>"), {"web page"});
  expect_says(message_of("{\"a\": 1}\n{\"a\": 2}\n"), {"JSON", "one on each line"});
  expect_says(message_of("[\n {\"a\": 1}]\n"), {"JSON document"});
  expect_says(message_of("CREATE TABLE t (a int);\nINSERT INTO t VALUES (1);\n"), {"SQL"});
  expect_says(message_of("@relation t\n@attribute a numeric\n@data\n1\n"), {"ARFF"});
}

TEST(CsvErrors, AcceptsATextThatBeginsLikeABinaryFile) {
  EXPECT_EQ(message_of("PAR1,FEA1\n1,2\n"), "");
}

TEST(CsvErrors, NamesTheLineOfABinaryByte) {
  expect_says(message_of(std::string("a,b\n1,\0\n", 8)), {"t.csv:2", "NUL"});
  expect_says(message_of("a,b\n1,x\n2,\x01\xE9\n"), {"t.csv:3", "0xE9", "control characters"});
}

TEST(CsvErrors, RefusesContradictingOptions) {
  CsvOptions mark;
  mark.decimal_mark = ';';
  EXPECT_THROW(read_csv_text("a,b\n1,2\n", "t.csv", mark), ConfigError);
  for (const char delimiter : {'"', '\n', 'e', '5', '.', '-', '\0'}) {
    CsvOptions options;
    options.delimiter = delimiter;
    EXPECT_THROW(read_csv_text("a,b\n1,2\n", "t.csv", options), ConfigError) << delimiter;
  }
}

}  // namespace
}  // namespace knockout
