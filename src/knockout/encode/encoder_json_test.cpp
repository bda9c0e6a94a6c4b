// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/encode/encoder.h"
#include "knockout/schema/infer.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

using nlohmann::json;
using test::kGap;
using test::kReasonGap;
using test::numbers;
using test::words;

/// Every kind of column, with numbers that no short decimal spells.
Table example() {
  return Table({numbers("x", {0.1, 1.0 / 3.0, kGap, 1e-17}), numbers("up", {0.7, 1e6, 3.3, kGap}),
                numbers("down", {-0.7, 0, 3.3, 1}), numbers("part", {0.1, kReasonGap, 0.9, 0.3}),
                words("day", {"2001-02-03", "2004-05-06T07:08", "", "1999-12-31"}),
                words("c", {"a", "b", "", "a"}), words("many", {"p", "q", "r", ""})});
}

Encoder fitted() {
  const Schema schema =
      infer_schema(example(), {.ranges = {{"up", 0}, {"down", {}, 3.3}, {"part", 0, 1}},
                               .groups = {{"g", {"x", "c"}}}})
          .schema;
  return Encoder::fit(example(), schema, {.max_one_hot = 2, .inline_placeholders = true});
}

TEST(EncoderJson, EncodesBitForBitAfterTheRoundTrip) {
  const Encoder encoder = fitted();
  const Encoder loaded = Encoder::from_json(json::parse(encoder.to_json().dump()));
  const EncodedRows before = encoder.encode(example()), after = loaded.encode(example());
  EXPECT_EQ(before.values, after.values);
  EXPECT_EQ(before.codes, after.codes);
  EXPECT_EQ(encoder.missing_values(), loaded.missing_values());
  EXPECT_EQ(encoder.missing_codes(), loaded.missing_codes());
  EXPECT_EQ(encoder.notes(), loaded.notes());
  EXPECT_EQ(encoder.units().size(), loaded.units().size());
  EXPECT_EQ(encoder.to_json(), loaded.to_json());
}

TEST(EncoderJson, KeepsForcedModes) {
  const Schema schema = infer_schema(example(), {}).schema;
  const Encoder encoder = Encoder::fit(
      example(), schema,
      {.max_one_hot = 2, .placeholders = {{"*", ColumnMean{}}}, .force_placeholders = true});
  const Encoder loaded = Encoder::from_json(encoder.to_json());
  EXPECT_EQ(encoder.missing_values(), loaded.missing_values());
  EXPECT_EQ(encoder.missing_codes(), loaded.missing_codes());
}

TEST(EncoderJson, KeepsRareCategoriesAndRefusesBadOnes) {
  const Table table({words("town", {"a", "a", "a", "b", "c", "d", "e", "e", "e"})});
  const Encoder encoder = Encoder::fit(table, infer_schema(table, {}).schema);
  const json written = encoder.to_json();
  EXPECT_EQ(Encoder::from_json(written).encode(table).values, encoder.encode(table).values);
  for (const json& rare : {json{1, 2}, json{1, 2, 5}, json{2, 1, 3}, json{1, 1, 3}, json{-1, 1, 3},
                           json{3}, json{1, 2, 3.0}, json("1"), json(nullptr)}) {
    json damaged = written;
    damaged["coding"][0]["rare"] = rare;
    EXPECT_THROW(Encoder::from_json(damaged), ModelFileError) << rare;
  }
}

TEST(EncoderJson, RefusesEveryDamagedField) {
  const std::vector<std::function<void(json&)>> damages = {
      [](json& j) { j = json::array(); },
      [](json& j) { j.erase("coding"); },
      [](json& j) { j["extra"] = 0; },
      [](json& j) { j["schema"]["features"].erase(0); },
      [](json& j) { j["coding"].erase(0); },
      [](json& j) { j["coding"] = 3; },
      [](json& j) { j["coding"][0] = nullptr; },
      [](json& j) { j["coding"][0].erase("center"); },
      [](json& j) { j["coding"][0]["center"] = "0"; },
      [](json& j) { j["coding"][0]["center"] = std::numeric_limits<double>::quiet_NaN(); },
      [](json& j) { j["coding"][0]["spread"] = 0; },
      [](json& j) { j["coding"][0]["spread"] = -1; },
      [](json& j) { j["coding"][2]["spread"] = 1; },
      [](json& j) { j["coding"][0]["spread"] = std::numeric_limits<double>::infinity(); },
      [](json& j) { j["coding"][0]["support"] = "interval"; },
      [](json& j) { j["coding"][0]["clip_low"] = 7; },
      [](json& j) { j["coding"][0]["clip_high"] = 1e300; },
      [](json& j) { j["coding"][0]["missing"] = 1e300; },
      [](json& j) { j["coding"][0]["for_a_reason"] = nullptr; },
      [](json& j) { j["coding"][0]["begin"] = 1; },
      [](json& j) { j["coding"][0]["begin"] = -1; },
      [](json& j) { j["coding"][0]["begin"] = 0.5; },
      [](json& j) { j["coding"][0]["width"] = 2; },
      [](json& j) { j["coding"][0]["width"] = std::numeric_limits<std::uint64_t>::max(); },
      [](json& j) { j["coding"][0]["code"] = 0; },
      [](json& j) { j["coding"][6]["code"] = 1; },
      [](json& j) { j["coding"][6]["code"] = -1; },
      [](json& j) { j["coding"][0]["learned_reason"] = 1; },
      [](json& j) { j["coding"][5]["learned_reason"] = false; },
      [](json& j) { j["coding"][0]["bend_low"] = -7; },
      [](json& j) { j["coding"][0]["bend_high"] = 7; },
      [](json& j) { j["coding"][4]["weekday"] = 1; },
      [](json& j) { j["coding"][4]["time"] = false; },
      [](json& j) { j["coding"][4].erase("weekday"); },
      [](json& j) { j["coding"][3]["learned_said"] = 1; },
      [](json& j) { j["coding"][5]["learned_said"] = true; },
      [](json& j) { j["coding"][3]["said"] = 1e300; },
      [](json& j) { j["coding"][3]["said"] = nullptr; },
      [](json& j) { j["coding"][0]["missing_category"] = 0; },
      [](json& j) { j["coding"][5]["missing_category"] = 2; },
      [](json& j) { j["coding"][5]["reason_category"] = -2; },
      [](json& j) { j["width"] = 1; },
      [](json& j) { j["width"] = -9223372036854775807LL; },
      [](json& j) { j["notes"] = {1}; }};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    json damaged = fitted().to_json();
    damages[i](damaged);
    EXPECT_THROW(Encoder::from_json(damaged), ModelFileError) << "damage " << i;
  }
}

}  // namespace
}  // namespace knockout
