// SPDX-License-Identifier: Apache-2.0
#include "knockout/data/csv_number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>

namespace knockout {
namespace {

/// Same value and same sign of zero.
void expect_same(double found, double expected, const std::string& text) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected)) << text;
}

void expect_like_strtod(const std::string& text) {
  const char* const end = text.data() + text.size();
  const Decimal found = read_decimal(text.data(), end, '.');
  ASSERT_EQ(found.end, end) << text;
  const double expected = std::strtod(text.c_str(), nullptr);
  expect_same(found.value, expected, text);
  if (found.is_code) return;
  const ParsedNumber number = parse_number(text, '.');
  EXPECT_EQ(number.kind, std::isinf(expected) ? NumberKind::kTooLarge : NumberKind::kNumber)
      << text;
  expect_same(number.value, expected, text);
}

TEST(CsvNumber, ReadsEveryFormOfADecimal) {
  for (const char* text : {"0",
                           "-0",
                           "+1.5",
                           ".5",
                           "5.",
                           "-.5",
                           "+5.",
                           "1e5",
                           "1E+05",
                           "1e-05",
                           "1.5e3",
                           "007",
                           "00.50",
                           "123456789012345678",
                           "1234567890123456789",
                           "12345678901234567890",
                           "9007199254740993",
                           "9007199254740992",
                           "1e22",
                           "1e23",
                           "123e-22",
                           "123e-23",
                           "0e999",
                           "1e-400",
                           "-1e-400",
                           "4.9e-324",
                           "2.2250738585072011e-308",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e309",
                           "1e99999999999999999999",
                           "1e-99999999999999999999",
                           "0.00000000000000000000000000000000000001",
                           "100000000000000000000000000000000000000",
                           "0.1e1",
                           "10.e-1"}) {
    expect_like_strtod(text);
  }
}

TEST(CsvNumber, RoundsLikeTheCLibraryOnRandomNumbers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const double any = std::bit_cast<double>(random());
    if (!std::isfinite(any)) continue;
    const double usual = static_cast<double>(static_cast<std::int64_t>(random() >> 20)) * 1e-9;
    char text[64];
    const int digits = static_cast<int>(random() % 20);
    std::snprintf(text, sizeof text, "%.*g", digits, any);
    expect_like_strtod(text);
    std::snprintf(text, sizeof text, "%.*f", digits, usual);
    expect_like_strtod(text);
  }
}

TEST(CsvNumber, JudgesVeryLongNumbersByTheirSize) {
  expect_like_strtod("0." + std::string(400, '0') + "1");
  expect_like_strtod("0." + std::string(400, '0') + "1e401");
  expect_like_strtod("1" + std::string(400, '0'));
  expect_like_strtod("1" + std::string(400, '0') + "e-400");
  expect_like_strtod("0." + std::string(1000, '3'));
}

TEST(CsvNumber, RefusesWhatIsNoDecimal) {
  for (const char* text :
       {"",     "+",  "-",   ".",   "e5",  "1e", "1e+", "--1",   "+-1",      "1.2.3", "1,5",
        "0x10", "1f", "nan", "NaN", "1 2", " 1", "1 ",  "1_000", "infinite", "in",    "-"}) {
    EXPECT_EQ(parse_number(text, '.').kind, NumberKind::kNotANumber) << text;
  }
}

TEST(CsvNumber, TellsCodesFromAmounts) {
  for (const char* text : {"03484", "-012", "+00", "00", "007.5", "00e1", "1234567890123456",
                           "-1234567890123456", "12345678901234567890"}) {
    EXPECT_EQ(parse_number(text, '.').kind, NumberKind::kNotANumber) << text;
  }
  for (const char* text :
       {"0", "-0", "0.5", "-0.05", "0e5", "10", "123456789012345", "-123456789012345",
        "1234567890123456.0", "1234567890123456e1", "0.1234567890123456"}) {
    EXPECT_EQ(parse_number(text, '.').kind, NumberKind::kNumber) << text;
  }
}

TEST(CsvNumber, KnowsInfinityInAnyCase) {
  for (const char* text : {"inf", "-inf", "+INF", "Infinity", "-INFINITY", "iNf"}) {
    EXPECT_EQ(parse_number(text, '.').kind, NumberKind::kInfinity) << text;
  }
}

TEST(CsvNumber, ReadsADecimalComma) {
  expect_same(parse_number("-1,5", ',').value, -1.5, "-1,5");
  expect_same(parse_number("0,12345678901234567", ',').value, 0.12345678901234567, "long");
  EXPECT_EQ(parse_number("1.5", ',').kind, NumberKind::kNotANumber);
}

TEST(CsvNumber, RecognisesThousandsSeparators) {
  for (const char* text : {"1,234", "1,234.5", "-1.234,5", "12 345", "1'234'567", "1,234,567.",
                           "1\u00A0"
                           "234",
                           "999.999"}) {
    EXPECT_TRUE(looks_grouped(text)) << text;
  }
  for (const char* text :
       {"1234", "1,23", "1,2345", "1234,567", "1,234,56", "1.234.5", "12.05.2020", "0.125", "0,125",
        "a,bcd", ",123", "1,234x", "1,234.5.6", "", "-"}) {
    EXPECT_FALSE(looks_grouped(text)) << text;
  }
}

}  // namespace
}  // namespace knockout
