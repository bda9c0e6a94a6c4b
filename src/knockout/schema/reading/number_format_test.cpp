// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/reading/number_format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/base/random.h"
#include "knockout/schema/reading/number_shape.h"

namespace knockout {
namespace {

struct NumberCase {
  std::string cell;
  NumberFormat format;
  std::optional<double> number;
};

TEST(ReadNumber, UndoesWhatPeoplePutAroundNumbers) {
  const NumberFormat plain, commas{.thousands_mark = ','};
  const NumberFormat european{.decimal_mark = ',', .thousands_mark = '.'};
  const NumberFormat swiss{.thousands_mark = '\''},
      blanks{.decimal_mark = ',', .thousands_mark = ' '};
  const NumberFormat dollars{.thousands_mark = ',', .prefix = "$", .parentheses = true};
  const NumberFormat euros{.decimal_mark = ',', .thousands_mark = '.', .suffix = "€"};
  const NumberFormat percent{.suffix = "%"}, kilos{.suffix = "kg"}, days{.suffix = "days"};
  const NumberFormat gram{.suffix = "mg/dL"}, count{.suffix = "x10^9/L"}, clock{.clock = true};
  const std::vector<NumberCase> cases = {
      {"12", plain, 12},
      {"-1.5e3", plain, -1500},
      {"+7", plain, 7},
      {"−5.5", plain, -5.5},  // Unicode's minus
      {"–5", plain, -5},      // an en dash
      {"123-", plain, -123},  // SAP
      {"5.", plain, 5},
      {".5", plain, 0.5},
      {"1,234", commas, 1234},
      {"-1,234,567.25", commas, -1234567.25},
      {"950", commas, 950},
      {"1,23", commas, {}},
      {"12,34,567", commas, 1234567},  // India
      {"2,89,000", commas, 289000},
      {"123,45,678", commas, {}},
      {"12,34,56", commas, {}},
      {"46.–", plain, 46},  // Switzerland
      {"46.-", plain, 46},
      {"９６．５", plain, 96.5},  // full-width
      {"0,123", commas, {}},
      {"1,2345", commas, {}},
      {"1,234e2", commas, {}},
      {"1.234,5", european, 1234.5},
      {"1.234", european, 1234},
      {"1,5", european, 1.5},
      {"12.5", european, {}},
      {"1'234'567.5", swiss, 1234567.5},
      {"1’234", swiss, 1234},
      {"1 234,5", blanks, 1234.5},
      {"1\xC2\xA0"
       "234",
       blanks, 1234},  // no-break space
      {"1\xE2\x80\xAF"
       "234 567",
       blanks, 1234567},  // narrow no-break space
      {"12 34", blanks, {}},
      {"$1,234.50", dollars, 1234.5},
      {"$ 5", dollars, 5},
      {"-$5", dollars, -5},
      {"$-5", dollars, -5},
      {"(1,234)", dollars, -1234},
      {"$(12)", dollars, -12},
      {"($12)", dollars, -12},
      {"(-12)", dollars, {}},
      {"€5", dollars, {}},
      {"(12)", commas, {}},
      {"1.234,50 €", euros, 1234.5},
      {"12%", percent, 12},
      {"12.5 %", percent, 12.5},
      {"0.5", percent, 0.5},
      {"90.0 kg", kilos, 90},
      {"90.0kg", kilos, 90},
      {"90 KG", kilos, 90},
      {"90 lb", kilos, {}},
      {"1 day", days, 1},
      {"2 days", days, 2},
      {"110 mg/dl", gram, 110},
      {"4.5 x10^9/L", count, 4.5},
      {"14:30", clock, 14.5},
      {"9:15", clock, 9.25},
      {"2:30 PM", clock, 14.5},
      {"12:00 am", clock, 0},
      {"12:45 p.m.", clock, 12.75},
      {"00:00:36", clock, 0.01},
      {"24:00", clock, {}},
      {"13:00 PM", clock, {}},
      {"16:9", clock, {}},
      {"1:100", clock, {}},
      {"14.5", clock, {}},
  };
  for (const NumberCase& c : cases) {
    const std::optional<double> number = read_number(c.cell, c.format);
    ASSERT_EQ(number.has_value(), c.number.has_value()) << c.cell;
    EXPECT_DOUBLE_EQ(number.value_or(0.0), c.number.value_or(0.0)) << c.cell;
  }
}

TEST(TakeApart, RefusesWhatIsNoNumber) {
  for (const char* const cell : {"",
                                 "-",
                                 "abc",
                                 "E11.9",
                                 "I10",
                                 "MARCH1",
                                 "120/80",
                                 "3/5",
                                 "10-20",
                                 "1.2.3-beta",
                                 "1:10",
                                 "P-0001",
                                 "A1",
                                 "3 of 5",
                                 "555-1234",
                                 "+49 (30) 1234",
                                 "192.168.0.1/24",
                                 "2020-01-01",
                                 "12 Main 5",
                                 "#5",
                                 "<0.5",
                                 "90+",
                                 "5 6",
                                 "1..5",
                                 "--5",
                                 "$",
                                 "$x",
                                 "kg",
                                 "(5",
                                 "5)",
                                 "USDA5",
                                 "1e5e5",
                                 "e5",
                                 "0x1F",
                                 "12@home"}) {
    const auto shape = take_apart(cell);
    const bool number = shape && (read_body(*shape, '.', ',') || read_body(*shape, ',', '.'));
    EXPECT_FALSE(number && shape->suffix.empty()) << cell;
  }
}

TEST(TakeApart, KnowsDigitsThatAreNames) {
  for (const char* const cell : {"03484", "007", "00", "1234567890123456", "-012"}) {
    EXPECT_TRUE(is_code(take_apart(cell).value())) << cell;
  }
  for (const char* const cell : {"0", "0.5", "10", "123456789012345", "0.1234567890123456789"}) {
    EXPECT_FALSE(is_code(take_apart(cell).value())) << cell;
  }
}

/// A number as a person with these habits would write it.
std::string dressed(double number, const NumberFormat& format, int decimals) {
  std::string digits = fmt::format("{:.{}f}", std::abs(number), decimals);
  std::string whole = digits.substr(0, digits.find('.'));
  const std::string fraction = decimals > 0 ? digits.substr(digits.find('.') + 1) : "";
  if (format.thousands_mark != '\0') {
    for (int at = static_cast<int>(whole.size()) - 3; at > 0; at -= 3) {
      whole.insert(static_cast<std::size_t>(at), 1, format.thousands_mark);
    }
  }
  std::string text = format.prefix + whole;
  if (decimals > 0) text += format.decimal_mark + fraction;
  if (!format.suffix.empty()) text += " " + format.suffix;
  if (number >= 0) return text;
  return format.parentheses ? "(" + text + ")" : "-" + text;
}

TEST(ReadNumber, ReadsBackExactlyWhatAnyFormatWrites) {
  const Random random(7, Stream::kSimulation);
  const std::string marks = std::string("\0,.' ", 5);
  for (std::uint32_t row = 0; row < 20000; ++row) {
    NumberFormat format;
    std::uint32_t unit = 0;
    const auto draw = [&](std::uint32_t most) { return random.below(most, 0, row, unit++); };
    format.decimal_mark = draw(2) == 0 ? '.' : ',';
    format.thousands_mark = marks[draw(5)];
    if (format.thousands_mark == format.decimal_mark) format.thousands_mark = '\0';
    if (draw(3) == 0) format.prefix = "€";
    const char* const suffixes[] = {"", "%", "kg", "mg/dL", "°C", "µg"};
    if (format.prefix.empty()) format.suffix = suffixes[draw(6)];
    format.parentheses = draw(2) == 0;
    const int decimals = static_cast<int>(draw(4));
    const double scale = std::pow(10.0, static_cast<double>(draw(9)));
    const double raw = (random.uniform(1, row, 0) - 0.5) * scale;
    const double number = std::stod(fmt::format("{:.{}f}", raw, decimals)) + 0.0;
    const std::string cell = dressed(number, format, decimals);
    const auto read = read_number(cell, format);
    ASSERT_TRUE(read.has_value()) << cell;
    ASSERT_EQ(*read, number) << cell;
  }
}

TEST(ReadNewNumber, ReadsWhatIsClearInAnotherFile) {
  const NumberFormat plain, comma{.decimal_mark = ','};
  const NumberFormat euros{.decimal_mark = ',', .thousands_mark = '.', .prefix = "EUR"};
  const NumberFormat dollars{.thousands_mark = ',', .prefix = "$"};
  const std::vector<NumberCase> cases = {
      {"1,5", plain, 1.5},
      {"1,234", plain, {}},  // may be a thousand
      {"0,125", plain, 0.125},
      {"1,234.5", plain, 1234.5},
      {"1.234,5", plain, 1234.5},
      {"1'234", plain, 1234},
      {"(12)", plain, -12},
      {"$12", plain, {}},  // another currency, perhaps
      {"371.32", comma, 371.32},
      {"371.32", euros, 371.32},
      {"1.371", euros, 1371},  // as in training
      {"-2207.96", euros, -2207.96},
      {"2,207.96 EUR", euros, 2207.96},
      {"371,32 €", euros, 371.32},
      {"$ 5", euros, {}},
      {"575,38", dollars, 575.38},
      {"7575.38 USD", dollars, 7575.38},
      {"(7,575.38)", dollars, -7575.38},
  };
  for (const NumberCase& c : cases) {
    EXPECT_EQ(read_new_number(c.cell, c.format), c.number) << c.cell;
  }
}

TEST(NumberFormat, SaysWhatItDoes) {
  EXPECT_EQ(format_text({}), "");
  EXPECT_EQ(format_text({.thousands_mark = ',', .prefix = "$"}),
            "commas between thousands, the currency $");
  EXPECT_EQ(format_text({.decimal_mark = ',', .suffix = "%"}), "a decimal comma, percent");
}

TEST(NumberFormat, WritesNumbersAsCellsDo) {
  EXPECT_EQ(in_its_clothes(90, "90", {}), "90");
  EXPECT_EQ(in_its_clothes(90, "90", {.suffix = "kg"}), "90 kg");
  EXPECT_EQ(in_its_clothes(61.3, "61.3", {.suffix = "%"}), "61.3%");
  EXPECT_EQ(in_its_clothes(938, "938", {.thousands_mark = ',', .prefix = "$"}), "$938");
  EXPECT_EQ(in_its_clothes(14.5, "14.5", {.clock = true}), "14:30");
}

TEST(NumberFormat, SurvivesJsonAndBelievesNothing) {
  const NumberFormat format{.decimal_mark = ',',
                            .thousands_mark = ' ',
                            .suffix = "°C",
                            .multiples = true,
                            .flags = {"*", "H"}};
  const nlohmann::json json = number_format_to_json(format);
  EXPECT_EQ(number_format_from_json(json, "x"), format);
  nlohmann::json older = json;  // files of before know neither
  older.erase("multiples");
  older.erase("flags");
  EXPECT_TRUE(number_format_from_json(older, "x").flags.empty());
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, nlohmann::json>>{{"decimal_mark", ""},
                                                           {"decimal_mark", ";"},
                                                           {"decimal_mark", " "},
                                                           {"thousands_mark", ","},
                                                           {"thousands_mark", ".."},
                                                           {"thousands_mark", 3},
                                                           {"clock", 1},
                                                           {"suffix", nullptr}}) {
    nlohmann::json bad = json;
    bad[key] = value;
    EXPECT_THROW(number_format_from_json(bad, "x"), ModelFileError) << bad.dump();
  }
}

}  // namespace
}  // namespace knockout
