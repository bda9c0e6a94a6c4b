// SPDX-License-Identifier: Apache-2.0
#include "knockout/report/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace knockout::report {
namespace {

constexpr const char* kReplaced = "\xEF\xBF\xBD";  // U+FFFD

TEST(Escape, LeavesNothingThatHtmlWouldRead) {
  EXPECT_EQ(escape("<script>alert('x')</script>"),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;");
  EXPECT_EQ(escape("\" onload=\"a&b"), "&quot; onload=&quot;a&amp;b");
  EXPECT_EQ(escape("&lt;"), "&amp;lt;");
  EXPECT_EQ(escape("a\nb\tc\r"), "a b c ");
}

TEST(Clean, KeepsEveryScript) {
  for (const char* text :
       {"Größe", "血圧", "ضغط الدم", "ความดัน", "😀", "e\xCC\x81", "\xF4\x8F\xBF\xBD"}) {
    EXPECT_EQ(clean(text), text);
  }
}

TEST(Clean, ReplacesControlsAndCharactersThatTurnTheDirection) {
  EXPECT_EQ(clean(std::string("a\0b", 3)), std::string("a") + kReplaced + "b");
  EXPECT_EQ(clean("\x1B[31m\x7F"), std::string(kReplaced) + "[31m" + kReplaced);
  EXPECT_EQ(clean("\xC2\x85"), kReplaced);  // U+0085, a C1 control
  EXPECT_EQ(clean("\xE2\x80\xAEtxt.exe"), std::string(kReplaced) + "txt.exe");  // U+202E
  EXPECT_EQ(clean("\xE2\x81\xA6x\xE2\x81\xA9"), std::string(kReplaced) + "x" + kReplaced);
  EXPECT_EQ(clean("\xE2\x80\xA8"), kReplaced);  // U+2028, a line separator
  EXPECT_EQ(clean("\xEF\xBF\xBF"), kReplaced);  // U+FFFF is no character
}

TEST(Clean, ReplacesBytesThatAreNoUtf8) {
  EXPECT_EQ(clean("caf\xE9"), std::string("caf") + kReplaced);              // Latin-1
  EXPECT_EQ(clean("\xC0\xAF"), std::string(kReplaced) + kReplaced);         // overlong /
  EXPECT_EQ(clean("\xED\xA0\x80").substr(0, 3), kReplaced);                 // a surrogate
  EXPECT_EQ(clean("\xF4\x90\x80\x80").substr(0, 3), kReplaced);             // above U+10FFFF
  EXPECT_EQ(clean("\xE2\x82<"), std::string(kReplaced) + kReplaced + "<");  // cut short
  EXPECT_EQ(clean("\xFF\xFE"), std::string(kReplaced) + kReplaced);
}

TEST(Shorten, CountsCharactersAndNotBytes) {
  EXPECT_EQ(shorten("Größe", 5), "Größe");
  EXPECT_EQ(shorten("Größen", 5), "Größ…");
  EXPECT_EQ(shorten("one two", 5), "one…");
  EXPECT_EQ(display_width("血圧"), 4U);
  EXPECT_EQ(shorten("血圧血圧", 5), "血圧…");
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);
}

TEST(ExactNumber, ReadsBackAsTheSameDouble) {
  for (const double number : {0.1, 1.0 / 3, 1e-300, -2.5e17, 123456.789, 5e-324, 1e22, 0.0}) {
    EXPECT_EQ(std::strtod(exact_number(number).c_str(), nullptr), number);
  }
  EXPECT_EQ(exact_number(0.1), "0.1");
  EXPECT_EQ(exact_number(std::numeric_limits<double>::quiet_NaN()), "–");
  EXPECT_EQ(exact_number(-std::numeric_limits<double>::infinity()), "−∞");
}

TEST(ShortNumber, KeepsThreeSignificantDigits) {
  EXPECT_EQ(short_number(0.5), "0.500");
  EXPECT_EQ(short_number(0.012345), "0.0123");
  EXPECT_EQ(short_number(12.345), "12.3");
  EXPECT_EQ(short_number(123.45), "123");
  EXPECT_EQ(short_number(-12345.6), "-12,346");
  EXPECT_EQ(short_number(7), "7");
}

TEST(AlignedNumbers, GivesAllTheDecimalsOfTheLargest) {
  EXPECT_EQ(aligned_numbers({1.5, -0.25, 0.0001}),
            (std::vector<std::string>{"1.500", "-0.250", "0.000"}));
  EXPECT_EQ(aligned_numbers({0.0123, NAN}), (std::vector<std::string>{"0.01230", "–"}));
  EXPECT_EQ(aligned_numbers({1234.5, 2}), (std::vector<std::string>{"1234", "2"}));
  EXPECT_EQ(aligned_numbers({}), std::vector<std::string>{});
}

TEST(DurationText, ChangesItsUnitWithTheLength) {
  EXPECT_EQ(duration_text(0.84), "0.8 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(3 * 3600 + 240), "3 h 04 min");
}

}  // namespace
}  // namespace knockout::report
