// SPDX-License-Identifier: Apache-2.0
#include "knockout/schema/schema.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include <nlohmann/json.hpp>

#include "knockout/base/error.h"
#include "knockout/schema/test_columns.h"

namespace knockout {
namespace {

Schema example_schema() {
  Schema schema;
  schema.features = {
      {.name = "age", .lower = 0.1, .upper = 120.0, .never_missing = true},
      {.name = "port",
       .kind = ColumnKind::kCategorical,
       .categories = {"1", "C", "S \"x\"\n"},
       .group = "trip",
       .training_gaps = GapMeaning::kForAReason},
      {.name = "day", .kind = ColumnKind::kDate, .training_gaps = GapMeaning::kAtRandom}};
  schema.targets = {{"y", Task::kClassification, {"no", "yes"}}, {"z", Task::kRegression, {}}};
  schema.weight_column = "w";
  schema.unseen_category = UnseenCategory::kMissing;
  return schema;
}

TEST(SchemaJson, SurvivesTheRoundTripThroughText) {
  const nlohmann::json json = schema_to_json(example_schema());
  const Schema schema = schema_from_json(nlohmann::json::parse(json.dump()));
  ASSERT_EQ(schema.features.size(), 3U);
  EXPECT_EQ(schema.features[0].name, "age");
  EXPECT_EQ(schema.features[0].lower, 0.1);
  EXPECT_EQ(schema.features[0].upper, 120.0);
  EXPECT_TRUE(schema.features[0].never_missing);
  EXPECT_EQ(schema.features[1].kind, ColumnKind::kCategorical);
  EXPECT_EQ(schema.features[1].categories, (std::vector<std::string>{"1", "C", "S \"x\"\n"}));
  EXPECT_EQ(schema.features[1].group, "trip");
  EXPECT_FALSE(schema.features[1].lower.has_value());
  EXPECT_EQ(schema.features[1].training_gaps, GapMeaning::kForAReason);
  EXPECT_EQ(schema.features[2].kind, ColumnKind::kDate);
  EXPECT_EQ(schema.features[2].training_gaps, GapMeaning::kAtRandom);
  ASSERT_EQ(schema.targets.size(), 2U);
  EXPECT_EQ(schema.targets[0].classes, (std::vector<std::string>{"no", "yes"}));
  EXPECT_EQ(schema.targets[1].task, Task::kRegression);
  EXPECT_EQ(schema.weight_column, "w");
  EXPECT_EQ(schema.unseen_category, UnseenCategory::kMissing);
  EXPECT_EQ(schema_to_json(schema), json);
}

TEST(SchemaJson, RefusesEveryDamagedField) {
  using nlohmann::json;
  const std::vector<std::function<void(json&)>> damages = {
      [](json& j) { j = 5; },
      [](json& j) { j = nullptr; },
      [](json& j) { j.erase("targets"); },
      [](json& j) { j["surprise"] = 1; },
      [](json& j) { j["features"] = "age"; },
      [](json& j) { j["features"][0] = json::array(); },
      [](json& j) { j["features"][0]["name"] = 7; },
      [](json& j) { j["features"][0]["name"] = "port"; },
      [](json& j) { j["features"][0]["name"] = "y"; },
      [](json& j) { j["features"][0]["kind"] = "tensor"; },
      [](json& j) { j["features"][0]["kind"] = true; },
      [](json& j) { j["features"][1]["kind"] = "ordered", j["features"][1]["categories"] = {"a"}; },
      [](json& j) { j["features"][0]["kind"] = "ordered"; },
      [](json& j) { j["features"][0]["lower"] = "0"; },
      [](json& j) { j["features"][0]["lower"] = 500; },
      [](json& j) { j["features"][0]["upper"] = std::numeric_limits<double>::infinity(); },
      [](json& j) { j["features"][0]["never_missing"] = 1; },
      [](json& j) { j["features"][0]["categories"] = {"a"}; },
      [](json& j) { j["features"][1]["categories"] = json::array(); },
      [](json& j) {
        j["features"][1]["categories"] = {"a", "a"};
      },
      [](json& j) {
        j["features"][1]["categories"] = {"a", 1};
      },
      [](json& j) { j["features"][1]["group"] = "age"; },
      [](json& j) { j["features"][1]["training_gaps"] = "sometimes"; },
      [](json& j) { j["features"][2]["lower"] = 0; },
      [](json& j) { j["targets"][0]["classes"] = {"no"}; },
      [](json& j) {
        j["targets"][0]["classes"] = {"no", "no"};
      },
      [](json& j) {
        j["targets"][1]["classes"] = {"no", "yes"};
      },
      [](json& j) { j["targets"][1]["task"] = "ranking"; },
      [](json& j) { j["weight_column"] = "age"; },
      [](json& j) { j["unseen_category"] = "ignore"; }};
  for (std::size_t i = 0; i < damages.size(); ++i) {
    json damaged = schema_to_json(example_schema());
    damages[i](damaged);
    EXPECT_THROW(schema_from_json(damaged), ModelFileError) << "damage " << i;
  }
}

TEST(SchemaJson, NamesTheColumnThatIsWrong) {
  nlohmann::json damaged = schema_to_json(example_schema());
  damaged["features"][2]["kind"] = "tensor";
  const std::string message = test::message_of<ModelFileError>([&] { schema_from_json(damaged); });
  EXPECT_TRUE(test::contains(message, "input column 3")) << message;
  EXPECT_TRUE(test::contains(message, "tensor")) << message;
}

TEST(Schema, FindsFeaturesByName) {
  const Schema schema = example_schema();
  EXPECT_EQ(schema.find_feature("day"), 2U);
  EXPECT_FALSE(schema.find_feature("y").has_value());
  EXPECT_EQ(schema.feature_names(), (std::vector<std::string>{"age", "port", "day"}));
}

}  // namespace
}  // namespace knockout
