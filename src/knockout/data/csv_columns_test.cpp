// SPDX-License-Identifier: Apache-2.0
// Numbers or words: the whole column decides.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "knockout/data/csv_reader.h"
#include "knockout/data/test_cells.h"

namespace knockout {
namespace {

using Numbers = std::vector<double>;
using States = std::vector<CellState>;
using Words = std::vector<std::string>;

Table table_of(const std::string& text, const CsvOptions& options = {}) {
  return read_csv_text(text, "t.csv", options);
}

/// The words of a text column row by row, "" for a gap.
Words words_in(const Table& table, const std::string& name) {
  const Column& column = table.at(name);
  EXPECT_TRUE(column.is_text()) << name;
  Words cells;
  for (std::size_t row = 0; row < column.size() && column.is_text(); ++row) {
    cells.push_back(column.observed(row) ? column.word(row) : "");
  }
  return cells;
}

Numbers numbers_in(const Table& table, const std::string& name) {
  EXPECT_FALSE(table.at(name).is_text()) << name;
  return listed(table.at(name).numbers());
}

Words note_codes(const Table& table) {
  Words codes;
  for (const Note& note : table.notes()) codes.push_back(note.code);
  return codes;
}

TEST(CsvColumns, OneWordAnywhereMakesAColumnOfWordsWithEveryCellAsWritten) {
  for (const int place : {0, 500, 999, 1000, 3000, 4999}) {
    std::string text = "a,b\n";
    for (int i = 0; i < 5000; ++i) {
      text += i == place ? "1,n/k\n" : "1, " + std::to_string(i % 7) + ".50\n";
    }
    for (const std::size_t chunk_bytes : {50U, 1000U, 1'000'000U}) {
      CsvOptions options;
      options.chunk_bytes = chunk_bytes;
      const Table table = table_of(text, options);
      const Words words = words_in(table, "b");
      ASSERT_EQ(words.size(), 5000U);
      EXPECT_EQ(words[static_cast<std::size_t>(place)], "n/k");
      EXPECT_EQ(words[4], place == 4 ? "n/k" : "4.50");
      EXPECT_EQ(table.at("b").words().size(), 8U);
      EXPECT_FALSE(table.at("a").is_text());
    }
  }
}

TEST(CsvColumns, CodesAreWords) {
  EXPECT_EQ(words_in(table_of("zip,x\n03484,1\n10001,2\n"), "zip"), (Words{"03484", "10001"}));
  EXPECT_EQ(words_in(table_of("a,x\n-012,1\n5,2\n"), "a"), (Words{"-012", "5"}));
  EXPECT_EQ(words_in(table_of("id,x\n1234567890123456,1\n5,2\n"), "id"),
            (Words{"1234567890123456", "5"}));
  EXPECT_EQ(numbers_in(table_of("a,x\n0.5,1\n0,2\n123456789012345,3\n"), "a"),
            (Numbers{0.5, 0, 123456789012345}));
  std::string late = "zip,x\n";
  for (int i = 0; i < 1500; ++i) late += "10001,1\n";
  EXPECT_TRUE(table_of(late + "03484,1\n").at("zip").is_text());
}

TEST(CsvColumns, NumbersInClothesAreWords) {
  EXPECT_EQ(words_in(table_of("p,q\n\"1,234.5\",1\n12,2\n"), "p"), (Words{"1,234.5", "12"}));
  EXPECT_EQ(words_in(table_of("p;q\n1.234,5;1\n2;2\n"), "p"), (Words{"1.234,5", "2"}));
  EXPECT_EQ(words_in(table_of("p;q\n1 234;1\n2;2\n"), "p"), (Words{"1 234", "2"}));
  EXPECT_EQ(words_in(table_of("p;q\n90 kg;1\n2;2\n"), "p"), (Words{"90 kg", "2"}));
  EXPECT_EQ(words_in(table_of("p;q\n1e400;1\n2;2\n"), "p"), (Words{"1e400", "2"}));
}

TEST(CsvColumns, TwoMarksInAColumnAreWords) {
  EXPECT_EQ(words_in(table_of("p;q\n1,5;1\n1.5;2\n"), "p"), (Words{"1,5", "1.5"}));
}

TEST(CsvColumns, NumbersWithTwoReadingsAreWords) {
  EXPECT_EQ(words_in(table_of("p,q\n\"1,234\",1\n\"2,345\",1\n"), "p"), (Words{"1,234", "2,345"}));
  EXPECT_EQ(words_in(table_of("p\tq\n1,234\t1\n"), "p"), (Words{"1,234"}));
  EXPECT_EQ(words_in(table_of("p;q\n1,5;1.234\n"), "q"), (Words{"1.234"}));
  EXPECT_EQ(words_in(table_of("p;q\n1.5;1,234\n"), "q"), (Words{"1,234"}));
}

TEST(CsvColumns, TheRestOfTheFileResolvesWhatHasTwoReadings) {
  EXPECT_EQ(numbers_in(table_of("p;q\n1,5;1,234\n2;2,345\n"), "q"), (Numbers{1.234, 2.345}));
  EXPECT_EQ(numbers_in(table_of("p;q\n1,234;1\n2,345;2\n"), "p"), (Numbers{1.234, 2.345}));
  EXPECT_EQ(numbers_in(table_of("p\tq\n1,234\t1\n2,5\t1\n"), "p"), (Numbers{1.234, 2.5}));
  EXPECT_EQ(numbers_in(table_of("p\tq\n0,125\t1\n0,375\t1\n"), "p"), (Numbers{0.125, 0.375}));
}

TEST(CsvColumns, ACommaThatComesLateIsADecimalMarkToo) {
  std::string text = "a;b\n";
  for (int i = 0; i < 1500; ++i) text += "1;2\n";
  const Table table = table_of(text + "1,5;2\n");
  EXPECT_EQ(table.at("a").number(1500), 1.5);
  EXPECT_EQ(table.at("a").number(0), 1);
  EXPECT_EQ(note_codes(table), (Words{"decimal_comma"}));
}

TEST(CsvColumns, AGivenMarkDecides) {
  CsvOptions options;
  options.decimal_mark = ',';
  EXPECT_EQ(words_in(table_of("p;q\n1.5;1\n", options), "p"), (Words{"1.5"}));
  const Table table = table_of("p;q\n1,234;1\n", options);
  EXPECT_EQ(numbers_in(table, "p"), (Numbers{1.234}));
  EXPECT_TRUE(table.notes().empty());  // said by the user, not found
}

TEST(CsvColumns, TellsOnceOfDecimalCommas) {
  const Table table = table_of("a;b;c\n1;2,5;3,5\n4;5,5;6,5\n");
  ASSERT_EQ(note_codes(table), (Words{"decimal_comma"}));
  EXPECT_EQ(table.notes()[0].column, "");
  EXPECT_NE(table.notes()[0].text.find("\"2,5\" in \"b\""), std::string::npos);
  EXPECT_NE(table.notes()[0].text.find("`decimal_mark = .`"), std::string::npos);
}

TEST(CsvColumns, KnowsMoreWordsForMissing) {
  const Table table =
      table_of("x,y\nn/a,1\nNAN,1\n<NA>,1\nNaT,1\n#NULL!,1\n#DIV/0!,1\n#VALUE!,1\n\\N,1\n5,1\n");
  EXPECT_EQ(listed(table.at("x").states()),
            (States{kMissing, kMissing, kMissing, kMissing, kMissing, kMissing, kMissing, kMissing,
                    kObserved}));
  EXPECT_FALSE(table.at("x").is_text());
}

TEST(CsvColumns, MissingNumbersMatchByValue) {
  CsvOptions options;
  options.missing_words = {"-999", "07"};
  options.reason_words = {"88"};
  const Table table =
      table_of("x,w,c\n-999,a,007\n-999.0,-999.00,07\n-9.99e2,-999,7\n88.0,88,1\n3,b,x\n", options);
  EXPECT_EQ(listed(table.at("x").states()),
            (States{kMissing, kMissing, kMissing, kReason, kObserved}));
  EXPECT_EQ(numbers_in(table, "x"), (Numbers{0, 0, 0, 0, 3}));
  EXPECT_EQ(words_in(table, "w"), (Words{"a", "", "", "", "b"}));
  EXPECT_EQ(table.at("w").state(3), kReason);
  EXPECT_EQ(listed(table.at("w").words()), (Words{"a", "b"}));
  EXPECT_EQ(words_in(table, "c"), (Words{"007", "", "7", "1", "x"}));  // "07" is no number
  EXPECT_EQ(listed(table_of("x;y\n-999,0;1\n2,5;1\n", options).at("x").states()),
            (States{kMissing, kObserved}));
}

TEST(CsvColumns, NoneIsMissingAndToldInAColumnOfWords) {
  const Table table = table_of("drug,x\nNone,1\naspirin,None\nNone,2\n");
  EXPECT_EQ(words_in(table, "drug"), (Words{"", "aspirin", ""}));
  EXPECT_EQ(listed(table.at("drug").words()), (Words{"aspirin"}));
  ASSERT_EQ(note_codes(table), (Words{"none_is_missing"}));
  EXPECT_EQ(table.notes()[0].column, "drug");
  EXPECT_NE(table.notes()[0].text.find("2 cells"), std::string::npos);
}

TEST(CsvColumns, NoneIsAClassAmongClasses) {
  CsvOptions options;
  options.class_columns = {"drug", "x"};
  const Table table = table_of("drug,x\nNone,1\naspirin,None\nNone,2\n", options);
  EXPECT_EQ(words_in(table, "drug"), (Words{"None", "aspirin", "None"}));
  EXPECT_EQ(listed(table.at("x").states()), (States{kObserved, kMissing, kObserved}));
  EXPECT_TRUE(table.notes().empty());
}

TEST(CsvColumns, InfinitiesInALateColumnOfNumbersLieBeyondALimit) {
  std::string text = "a,b\n";
  for (int i = 0; i < 1500; ++i) text += "1,2\n";
  const Table table = table_of(text + "-Inf,2\ninf,x\n");
  EXPECT_EQ(table.at("a").state(1500), kBelow);
  EXPECT_EQ(table.at("a").state(1501), kAbove);
}

}  // namespace
}  // namespace knockout
