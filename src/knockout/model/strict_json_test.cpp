// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/strict_json.h"

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

TEST(StrictJson, RefusesWhatIsNotJson) {
  using namespace std::string_literals;
  for (const std::string& text :
       {""s, "{"s, "{}x"s, "{'a': 1}"s, "[1,]"s, "nan"s, "1e999"s, "\"\xff\""s, "\0"s, "[1] \0"s}) {
    EXPECT_THROW(parse_strict_json(text), ModelFileError) << text;
  }
}

}  // namespace
}  // namespace knockout
