// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/strict_json.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "knockout/base/error.h"

namespace knockout {
namespace {

std::string nested(int depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(StrictJson, ReadsWhatOrdinaryJsonSays) {
  EXPECT_EQ(parse_strict_json(R"({"a": [1, 2.5, "x"], "b": {"a": null, "c": true}})"),
            nlohmann::json::parse(R"({"a": [1, 2.5, "x"], "b": {"a": null, "c": true}})"));
  EXPECT_EQ(parse_strict_json(" 7 "), 7);
}

TEST(StrictJson, RefusesAKeyThatComesTwiceAtAnyDepth) {
  EXPECT_THROW(parse_strict_json(R"({"a": 1, "a": 1})"), ModelFileError);
  EXPECT_THROW(parse_strict_json(R"({"a": 1, "\u0061": 1})"), ModelFileError);
  EXPECT_THROW(parse_strict_json(R"([{"x": {"k": 1, "l": {}, "k": 2}}])"), ModelFileError);
  EXPECT_NO_THROW(parse_strict_json(R"([{"k": {"k": 1}}, {"k": [{"k": 2}, {"k": 3}]}])"));
}

TEST(StrictJson, RefusesDeepNesting) {
  EXPECT_NO_THROW(parse_strict_json(nested(64)));
  EXPECT_THROW(parse_strict_json(nested(65)), ModelFileError);
  EXPECT_THROW(parse_strict_json(std::string(1 << 19, '[')), ModelFileError);
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += R"({"a":)";
  EXPECT_THROW(parse_strict_json(objects), ModelFileError);
}

TEST(StrictJson, RefusesMoreThanAMachineShouldHold) {
  std::string lists = "[[]";
  for (int i = 0; i < 10'000'000; ++i) lists += ",[]";
  EXPECT_THROW(parse_strict_json(lists + "]"), ModelFileError);
  EXPECT_THROW(parse_strict_json(std::string(100'000'000, ' ') + "1"), ModelFileError);
  EXPECT_EQ(parse_strict_json(std::string(1'000'000, ' ') + "1"), 1);
}

TEST(StrictJson, TakesTimeInProportionToTheObjectsOfAList) {
  std::string text = "[{}";
  for (int i = 0; i < 300'000; ++i) text += ",{}";
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_strict_json(text + "]").size(), 300'001U);
  // Looking at all that came before for each of them takes half a minute and more.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
}

TEST(StrictJson, SaysWhere) {
  const auto refusal = [](std::string_view text) -> std::string {
    try {
      parse_strict_json(text);
    } catch (const ModelFileError& error) {
      return error.what();
    }
    return "it was taken";
  };
  const auto expect = [&](std::string_view text, std::string_view part) {
    EXPECT_NE(refusal(text).find(part), std::string::npos) << refusal(text);
  };
  expect(R"({"a": [1, {"b": 1, "b": 2}]})", "holds this key twice at /a/1/b");
  expect(R"({"a": [1, 2], "c": [3, 1e999]})", "cannot be read at /c/1 (");
  expect(R"({"a": 1, "c" 2})", "line 1, column 14");
  expect(R"({"k": )" + nested(64) + "}", "nested deeper than 64 at /k/0/0");
  EXPECT_LT(refusal("\"" + std::string(1'000'000, 'x')).size(), 500U);
  EXPECT_LT(refusal("{\"" + std::string(1'000'000, 'x') + "\":1e999}").size(), 500U);
}

TEST(StrictJson, ReadsWholeNumbersOfARangeAndNothingElse) {
  using nlohmann::json;
  EXPECT_EQ(whole_number(json::parse("7")), 7);
  EXPECT_EQ(whole_number(json::parse("-7"), -10, 10), -7);
  EXPECT_EQ(whole_number(json::parse("9223372036854775807")), 9223372036854775807);
  EXPECT_EQ(whole_number(json::parse("-9223372036854775808"), INT64_MIN), INT64_MIN);
  for (const char* text : {"-1", "9223372036854775808", "18446744073709551615", "1e300", "-1e300",
                           "2.0", "0.5", "1e3", "true", "null", "\"2\"", "[2]", "{}"}) {
    EXPECT_EQ(whole_number(json::parse(text)), std::nullopt) << text;
  }
  EXPECT_EQ(whole_number(json(11), 0, 10), std::nullopt);
  EXPECT_EQ(whole_number(json(4), 5, 10), std::nullopt);
}

TEST(StrictJson, RefusesWhatIsNotJson) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, "{"s, "{}x"s, "{'a': 1}"s, "[1,]"s, "nan"s, "1e999"s, "\"\xff\""s, "\0"s, "[1] \0"s}) {
    EXPECT_THROW(parse_strict_json(text), ModelFileError) << text;
  }
}

}  // namespace
}  // namespace knockout
