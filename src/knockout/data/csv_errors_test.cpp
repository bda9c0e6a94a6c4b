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

TEST(CsvErrors, NamesLineAndColumnOfABadNumber) {
  const std::string message = message_of(rows_of_numbers(1200) + "n/k,1\n");
  EXPECT_EQ(message,
            "t.csv:1202, column \"age\": cannot read \"n/k\" as a number.\n"
            "  \"age\" was taken as numeric from its first 1,000 rows.\n"
            "  If \"n/k\" means missing:  `missing_words = n/k`\n"
            "  If it is a category:     `text_columns = age`");
}

TEST(CsvErrors, CountsLinesWithinQuotesAndBlankLines) {
  std::string text = "age,note\n\n";
  for (int i = 0; i < 1100; ++i) text += "30,\"two\nlines\"\n";
  expect_says(message_of(text + "\n\nold,x\n"), {"t.csv:2205, column \"age\""});
}

TEST(CsvErrors, ReportsTheFirstProblemForAnyNumberOfThreads) {
  std::string text = rows_of_numbers(3000);
  text += "30,first\n" + std::string("30,1\n30,1\nsecond,1\n") + "1,2,3\n\"never closed";
  const std::string expected = message_of(text);
  expect_says(expected, {"t.csv:3002", "first"});
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::size_t chunk_bytes : {1U, 10U, 1000U, 100000U}) {
      CsvOptions options;
      options.threads = threads;
      options.chunk_bytes = chunk_bytes;
      EXPECT_EQ(message_of(text, options), expected);
    }
  }
}

TEST(CsvErrors, SaysThatNumbersWereAskedFor) {
  CsvOptions options;
  options.numeric_columns = {"a"};
  expect_says(message_of("a,b\n1,2\nold,3\n", options),
              {"t.csv:3, column \"a\": cannot read \"old\"", "asked to be numeric"});
}

TEST(CsvErrors, RefusesANumberBeyondTheLargest) {
  expect_says(message_of("a,b\n1e400,2\n"), {"t.csv:2, column \"a\"", "too large"});
}

TEST(CsvErrors, QuotesWordsForTheShell) {
  expect_says(message_of(rows_of_numbers(1000) + "not known,1\n"), {"`missing_words = not known`"});
}

TEST(CsvErrors, SuggestsTheDecimalMarkWhenACommaComesLate) {
  std::string text = "a;b\n";
  for (int i = 0; i < 1000; ++i) text += "1;2\n";
  expect_says(message_of(text + "1,5;2\n"), {"t.csv:1002, column \"a\"", "`decimal_mark = ,`"});
}

TEST(CsvErrors, RefusesThousandsSeparators) {
  const std::string message = message_of("p,q\n\"1,234.5\",1\n12,2\n");
  expect_says(message, {"t.csv:2, column \"p\"", "\"1,234.5\"", "thousands", "`text_columns = p`"});
  expect_says(message_of("p;q\n1.234,5;1\n"), {"thousands"});
  expect_says(message_of("p;q\n1 234;1\n"), {"thousands"});
}

TEST(CsvErrors, LetsThousandsSeparatorsBeWordsWhenAsked) {
  CsvOptions options;
  options.text_columns = {"p"};
  EXPECT_EQ(message_of("p,q\n\"1,234.5\",1\n", options), "");
}

TEST(CsvErrors, RefusesANumberWithTwoReadings) {
  expect_says(message_of("p,q\n\"1,234\",1\n"), {"two ways", "`decimal_mark = ,`"});
  expect_says(message_of("p\tq\n1,234\t1\n"), {"two ways"});
  expect_says(message_of("p;q\n1,5;1.234\n"), {"column \"q\"", "two ways", "`decimal_mark = .`"});
  expect_says(message_of("p;q\n1.5;1,234\n"), {"column \"q\"", "two ways"});
}

TEST(CsvErrors, RefusesTwoDecimalMarksInOneColumn) {
  expect_says(message_of("p;q\n1,5;1\n1.5;2\n"), {"t.csv:3", "\"1.5\"", "\"1,5\" on line 2"});
}

TEST(CsvErrors, RefusesAnotherDecimalMarkThanTheGivenOne) {
  CsvOptions options;
  options.decimal_mark = ',';
  expect_says(message_of("p;q\n1.5;1\n", options), {"t.csv:2, column \"p\"", "decimal mark"});
}

TEST(CsvErrors, NamesTheLineOfARaggedRow) {
  expect_says(message_of("a,b,c\n1,2,3\n1,2\n"),
              {"t.csv:3: 2 fields where the header names 3 columns", "\"1,2\""});
  expect_says(message_of("a,b\n1,2,3,4\n"), {"t.csv:2: 4 fields", "2 columns", "in quotes"});
  expect_says(message_of("a,b\n1,2,\n1,2,\n"), {"t.csv:2", "ends with a delimiter"});
  expect_says(message_of("a,b\nr1,1,2\n"), {"row name"});
  expect_says(message_of("a,b\n1,2\ntotal\n"), {"t.csv:3: 1 field ", "footnote"});
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

TEST(CsvErrors, RefusesNamesThatAreTwiceThereOrEmpty) {
  expect_says(message_of("a,b,a\n1,2,3\n"), {"t.csv:1: columns 1 and 3 are both named \"a\""});
  expect_says(message_of("a,,c\n1,2,3\n"), {"t.csv:1: column 2 of 3 has no name"});
  expect_says(message_of(",a\n0,2\n"), {"column 1 of 2", "index=False"});
  expect_says(message_of("a,b,\n1,2,\n"), {"column 3 of 3", "end with a delimiter"});
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
  expect_says(message_of(std::string("\xFF\xFE"
                                     "a\0,\0",
                                     6)),
              {"UTF-16", "iconv"});
  expect_says(message_of("<!DOCTYPE html><html>"), {"web page"});
}

TEST(CsvErrors, AcceptsATextThatBeginsLikeABinaryFile) {
  EXPECT_EQ(message_of("PAR1,FEA1\n1,2\n"), "");
}

TEST(CsvErrors, NamesTheLineOfABinaryByte) {
  expect_says(message_of(std::string("a,b\n1,\0\n", 8)), {"t.csv:2", "NUL"});
  expect_says(message_of("a,b\n1,x\n2,caf\xE9\n"), {"t.csv:3", "0xE9", "WINDOWS-1252"});
}

TEST(CsvErrors, ShowsLongAndStrangeCellsSafely) {
  const std::string message =
      message_of(rows_of_numbers(1000) + std::string(1000, 'x') + "\x1b[31m,1\n");
  expect_says(message, {"xxx...\""});
  EXPECT_EQ(message_of(rows_of_numbers(1000) + "\x1b[31m,1\n").find("\"\\x1b[31m\""),
            std::string("t.csv:1002, column \"age\": cannot read ").size());
}

TEST(CsvErrors, RefusesContradictingOptions) {
  CsvOptions both;
  both.text_columns = {"a"};
  both.numeric_columns = {"*"};
  EXPECT_THROW(read_csv_text("a,b\n1,2\n", "t.csv", both), ConfigError);
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
