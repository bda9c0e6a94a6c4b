// SPDX-License-Identifier: Apache-2.0
// The bytes were written by Python's codecs of the same names.
#include "knockout/data/script_encodings.h"

#include <gtest/gtest.h>

namespace knockout {
namespace {

constexpr std::string_view kShiftJis =
    "\x93"
    "s\x8E"
    "s,\x90\xAB\x95\xCA"
    ",\x94"
    "N\x97\xEE"
    "\n\x93\x8C\x8B\x9E"
    ",\x92"
    "j,34\n\x91\xE5\x8D\xE3"
    ",\x8F\x97"
    ",55\n";
constexpr std::string_view kKatakana =
    "\x83"
    "J\x83"
    "^\x83"
    "J\x83"
    "i,\x83"
    "f\x81"
    "[\x83"
    "^\n\x83"
    "e\x83"
    "X\x83"
    "g,1\n";
constexpr std::string_view kWindows1251 =
    "\xC3\xEE\xF0\xEE\xE4"
    ",\xCF\xEE\xEB"
    ",\xC2\xEE\xE7\xF0\xE0\xF1\xF2"
    "\n\xCC\xEE\xF1\xEA\xE2\xE0"
    ",\xEC\xF3\xE6"
    ",34\n";
constexpr std::string_view kGbk =
    "\xB3\xC7\xCA\xD0"
    ",\xD0\xD4\xB1\xF0"
    ",\xC4\xEA\xC1\xE4"
    "\n\xB1\xB1\xBE\xA9"
    ",\xC4\xD0"
    ",34\n\xC9\xCF\xBA\xA3"
    ",\xC5\xAE"
    ",29\n";
constexpr std::string_view kEucKr =
    "\xB5\xB5\xBD\xC3"
    ",\xBC\xBA\xBA\xB0"
    ",\xB3\xAA\xC0\xCC"
    "\n\xBC\xAD\xBF\xEF"
    ",\xB3\xB2"
    ",34\n\xBA\xCE\xBB\xEA"
    ",\xBF\xA9"
    ",29\n";
constexpr std::string_view kGerman =
    "Gr\xF6\xDF"
    "e,Stra\xDF"
    "e\nM\xFC"
    "ller,K\xF6"
    "ln\n\xDC"
    "bung,gr\xFC"
    "n\n\xC4"
    "pfel,sch\xF6"
    "n\n";
constexpr std::string_view kGermanDos =
    "Gr\x94\xE1"
    "e,Stra\xE1"
    "e\nM\x81"
    "ller,K\x94"
    "ln\n\x9A"
    "bung,gr\x81"
    "n\n\x8E"
    "pfel,sch\x94"
    "n\n";
constexpr std::string_view kPolish =
    "\xB3\xF3"
    "d\x9F"
    ",\xBF\xF3\xB3\xE6"
    "\ng\xEA\x9C"
    ",Wroc\xB3"
    "aw\n\x9F"
    "d\x9F"
    "b\xB3"
    "o,Krak\xF3"
    "w\n";
constexpr std::string_view kGreek =
    "\xFC\xED\xEF\xEC\xE1"
    ",\xE7\xEB\xE9\xEA\xDF\xE1"
    "\n\xC1\xE8\xDE\xED\xE1"
    ",\xC8\xE5\xF3\xF3\xE1\xEB\xEF\xED\xDF\xEA\xE7"
    "\n";
constexpr std::string_view kHebrew =
    "\xF9\xED"
    ",\xE2\xE9\xEC"
    "\n\xFA\xEC"
    " \xE0\xE1\xE9\xE1"
    ",\xE9\xF8\xE5\xF9\xEC\xE9\xED"
    "\n";
constexpr std::string_view kFewLetters =
    "name\n\xA8\xE6"
    "\n";

TEST(ScriptEncodings, AreReadAsTheirCountriesWriteThem) {
  struct Case {
    std::string_view bytes;
    const char *encoding, *text;
  };
  for (const Case& known : {
           Case{kShiftJis, "Shift-JIS", "都市,性別,年齢\n東京,男,34\n大阪,女,55\n"},
           Case{kKatakana, "Shift-JIS", "カタカナ,データ\nテスト,1\n"},
           Case{kWindows1251, "Windows-1251", "Город,Пол,Возраст\nМосква,муж,34\n"},
           Case{kGbk, "GBK", "城市,性别,年龄\n北京,男,34\n上海,女,29\n"},
           Case{kEucKr, "EUC-KR", "도시,성별,나이\n서울,남,34\n부산,여,29\n"},
       }) {
    const std::optional<ConvertedText> converted = convert_from_other_script(known.bytes);
    ASSERT_TRUE(converted) << known.encoding;
    EXPECT_EQ(converted->text, known.text);
    EXPECT_EQ(converted->encoding, known.encoding);
  }
}

TEST(ScriptEncodings, LeaveOtherTextsAlone) {
  for (const std::string_view bytes : {kGerman, kGermanDos, kPolish, kGreek, kHebrew, kFewLetters,
                                       std::string_view("a,b\n1,2\n")}) {
    const std::optional<ConvertedText> converted = convert_from_other_script(bytes);
    EXPECT_FALSE(converted) << converted->encoding << ": " << converted->text;
  }
}

TEST(ScriptEncodings, AreRefusedWhereACharacterIsCutOff) {
  EXPECT_FALSE(convert_from_other_script(std::string(kShiftJis.substr(0, 20)) + "\x93"));
}

}  // namespace
}  // namespace knockout
