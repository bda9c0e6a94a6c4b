// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_column.h"

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "knockout/schema/reading/test_word_columns.h"

namespace knockout {
namespace {

using test::CountedCells;
using test::joined;
using test::many;
using Cells = std::vector<std::string>;

NumbersFound found_in(const Cells& cells, char file_mark = '.') {
  static std::deque<CountedCells> kept;  // what is found refers to them
  return find_numbers(kept.emplace_back(cells).counts(), file_mark, true);
}

struct FormatCase {
  Cells cells;
  NumberFormat format;
  char file_mark = '.';
};

TEST(FindNumbers, FindsTheFormatFromAllCellsTogether) {
  const std::vector<FormatCase> cases = {
      {{"1", "2.5", "n/a"}, {}},
      {{"1,234", "5,678"}, {.thousands_mark = ','}},
      {{"1,234", "5,678"}, {.decimal_mark = ','}, ','},
      {{"1,234", "12,5", "7,25"}, {.decimal_mark = ','}},
      {{"1,234", "0,567"}, {.decimal_mark = ','}},  // no thousand begins with a zero
      {{"1,234", "1,234,567"}, {.thousands_mark = ','}, ','},
      {{"1,234.5", "950"}, {.thousands_mark = ','}},
      {{"1.234,5", "950"}, {.decimal_mark = ',', .thousands_mark = '.'}},
      {{"1.234 kg", "2.5 kg"}, {.suffix = "kg"}},
      {{"1.234 €", "2.500 €"}, {.decimal_mark = ',', .thousands_mark = '.', .suffix = "€"}, ','},
      {{"1 234,5", "12,5"}, {.decimal_mark = ',', .thousands_mark = ' '}},
      {{"1'234.50", "99.95"}, {.thousands_mark = '\''}},
      {{"90.0 kg", "85 kg", "88.5kg"}, {.suffix = "kg"}},
      {{"90 kg", "85 kg", "88"}, {.suffix = "kg"}},
      {{"1 day", "2 days", "3 days"}, {.suffix = "days"}},
      {{"12 %", "15%", "8 %"}, {.suffix = "%"}},
      {{"$1,200", "$950", "$(30)"}, {.thousands_mark = ',', .prefix = "$", .parentheses = true}},
      {{"USD 5", "USD 7.5"}, {.prefix = "USD"}},
      {{"36.6 °C", "37.2 °C"}, {.suffix = "°C"}},
      {{"36.6C", "37.2C"}, {.suffix = "C"}},
      {{"14:30", "09:15", "7:45"}, {.clock = true}},
      {{"2:30 PM", "9:00 AM"}, {.clock = true}},
      {{"−5", "7"}, {}},
  };
  for (const FormatCase& c : cases) {
    const NumbersFound found = found_in(c.cells, c.file_mark);
    EXPECT_TRUE(found.is_column()) << c.cells[0];
    EXPECT_EQ(format_text(found.format), format_text(c.format)) << c.cells[0];
    EXPECT_EQ(found.format, c.format) << c.cells[0];
  }
}

TEST(FindNumbers, DropsFlagsBesideNumbers) {
  const Cells plain = many(20, [](int i) { return fmt::format("{}.5", i); });
  using Flags = std::vector<std::string>;
  const auto flags_with = [&](const Cells& more) {
    const NumbersFound found = found_in(joined(plain, more));
    return found.is_column() && found.flagged.size() == more.size() ? found.format.flags : Flags{};
  };
  EXPECT_EQ(flags_with({"5.6 H", "2.1 L", "7.1H"}), (Flags{"H", "L"}));
  EXPECT_EQ(flags_with({"12.3 p", "11 b"}), (Flags{"b", "p"}));
  EXPECT_EQ(flags_with({"2.2*", "~89", "ca. 7", "3.3 †"}), (Flags{"*", "ca.", "~", "†"}));
  EXPECT_EQ(flags_with({"1.5 L", "2.5 L"}), Flags{});  // litres
  const Cells units = many(20, [](int i) { return fmt::format("{}.5 mmol/L", i); });
  EXPECT_EQ(found_in(joined(units, {"30.5 mmol/L H"})).format.flags, (Flags{"H"}));
  EXPECT_EQ(flags_with({"1.5 H", "2.5 kg", "3.5 kg"}), Flags{});
  EXPECT_EQ(found_in({"3*", "4*", "5*", "3", "4"}).format.flags, Flags{});  // hotels
}

TEST(FindNumbers, ReadsMultiplesSideBySide) {
  EXPECT_TRUE(found_in({"4.5M", "8.3K", "9.1K"}).format.multiples);
  EXPECT_TRUE(found_in({"850", "1.2K", "$3K", "900"}).format.multiples);
  EXPECT_FALSE(found_in({"300.5 K", "299"}).format.multiples);         // Kelvin
  EXPECT_FALSE(found_in({"85.2K", "54.8K"}).format.multiples);         // may be
  EXPECT_FALSE(found_in({"12K", "14", "3M", "15"}).format.multiples);  // houses
  EXPECT_FALSE(found_in({"1.5m", "2.0", "1.8m"}).format.multiples);    // metres
  EXPECT_EQ(read_number("963.27K", {.multiples = true}), 963270.0);
  EXPECT_EQ(read_number("2.02M", {.multiples = true}), 2020000.0);
}

TEST(FindNumbers, ReadsDurationsInSeveralUnits) {
  EXPECT_TRUE(found_in({"1h 20min", "0h 10min"}).format.clock);
  EXPECT_TRUE(found_in({"2 h", "45 min", "1 h"}).format.clock);
  EXPECT_TRUE(found_in({"PT3H8M", "PT20M"}).format.clock);
  EXPECT_FALSE(found_in({"45 min", "30 min"}).format.clock);  // a number of minutes
  EXPECT_FALSE(found_in({"45 min", "30", "2 h"}).format.clock);
}

TEST(FindNumbers, TakesParenthesesAroundAllAmountsAsNegative) {
  EXPECT_TRUE(found_in({"(1.50)", "(2.25)"}).is_column());
  EXPECT_TRUE(found_in({"($5)", "($6)"}).is_column());
}

TEST(FindNumbers, SeesNumbersBesidePercent) {
  const NumbersFound found = found_in({"28%", "54%", "30%", "0.02", "0.5"});
  EXPECT_EQ(found.without_percent.size(), 2U);
  EXPECT_TRUE(found.only_shares);
  EXPECT_FALSE(found_in({"28%", "54%", "30%", "12"}).only_shares);
}

TEST(FindNumbers, LeavesWordsAlone) {
  const std::vector<Cells> columns = {
      {"12", "12a", "12b", "14", "16c"},  // house numbers
      {"1.2.3", "1.2.4", "2.0.1"},        // versions
      {"1.2", "1.2.3", "1.3", "1.3.1"},
      {"10-20", "20-30", "30-40"},  // ranges
      {"5", "6", "10-20", "7"},
      {"555-1234", "555-9876"},  // telephone numbers
      {"612 345 678", "698 765 432", "611 222 333", "655 444 333", "677 888 999"},
      {"192.168.0.1", "10.0.0.1", "192.168.100.200"},  // addresses
      {"E11.9", "I10", "E78.5"},                       // ICD-10
      {"120/80", "130/85", "118/76"},                  // blood pressure
      {"3/5", "4/5", "5/5"},                           // scores
      {"3 of 5", "4 of 5"},
      {"MARCH1", "SEPT2", "DEC1"},       // genes
      {"1:10", "1:20", "1:40", "1:80"},  // titres
      {"1:10", "1:20", "1:40"},
      {"16:9", "4:3"},
      {"90 kg", "85 kg", "180 lb", "175 lb"},  // two units
      {"$5", "€6", "$7", "€8"},
      {"1st", "2nd", "3rd", "4th"},
      {"1A", "2A", "3A", "4A"},      // flats
      {"(1)", "(2)", "(3)"},         // a list
      {"1,5", "2.5", "3,5", "4.5"},  // two decimal marks
      {"Q1", "Q2", "Q3"},
      {"yes", "no", "1"},
      {"a", "b", "c", "1", "2", "3"},
      {"5", "n/a"},  // a single number
  };
  for (const Cells& cells : columns) EXPECT_FALSE(found_in(cells).is_column()) << cells[1];
}

TEST(FindNumbers, KnowsCodes) {
  for (const Cells& cells : {Cells{"03484", "12345", "90210"}, Cells{"007", "013", "n/a"},
                             Cells{"1234567890123456", "1234567890123457"}}) {
    EXPECT_TRUE(found_in(cells).codes) << cells[0];
    EXPECT_FALSE(found_in(cells).is_column()) << cells[0];
  }
  EXPECT_FALSE(found_in({"0", "10", "0.5", "abc"}).codes);
  EXPECT_FALSE(found_in({"a 1", "b 2", "c", "d", "01"}).codes);  // words, whatever else
}

TEST(FindNumbers, SortsTheOtherWords) {
  const CountedCells cells(joined(many(20, [](int i) { return fmt::format("{}.5", i); }),
                                  {"<0.5", "n/a", "unknown", "tall", "> 90", "inf", "BDL"}));
  const NumbersFound found = find_numbers(cells.counts(), '.', true);
  EXPECT_TRUE(found.is_column());
  EXPECT_EQ(found.words.readable_cells, 20U);
  EXPECT_EQ(found.words.gaps.size(), 2U);
  EXPECT_EQ(found.words.limits.size(), 4U);
  ASSERT_EQ(found.words.others.size(), 1U);
  EXPECT_EQ(found.words.others[0].word, "tall");
}

}  // namespace
}  // namespace knockout
