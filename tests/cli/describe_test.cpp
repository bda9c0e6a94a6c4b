// SPDX-License-Identifier: Apache-2.0
// knockout describe: a model tells what it is.
#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

using nlohmann::json;

class Describe : public CommandTest {
 protected:
  json described(const std::string& model) const {
    const Outcome outcome = run({"describe", model, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  static const json& named(const json& list, const std::string& name) {
    for (const json& item : list) {
      if (item["name"] == name) return item;
    }
    ADD_FAILURE() << "no " << name;
    return list;
  }
};

TEST_F(Describe, TellsWhatItPredictsAndFromWhat) {
  make_model();
  const Outcome outcome = run({"describe", "model.st"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* part : {"Predicts outcome (classes ill, well) from 4 inputs, learned from 120 "
                           "rows.",
                           "bmi", "categorical", "18 to 37", "numbers", "one of f, m", "log loss",
                           "set aside", "ignored on request", "sha256", "parameters"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
}

TEST_F(Describe, CountsWhatTrainingSaw) {
  make_model();
  const std::string csv = patients();
  const json model = described("model.st");
  EXPECT_EQ(model["rows"], 120);
  EXPECT_EQ(model["columns"], 7);
  EXPECT_EQ(model["format_version"], 2);
  EXPECT_EQ(model["bytes"], read("model.st").size());
  const json& sex = named(model["inputs"], "sex");
  // Counted in the file itself.
  std::size_t missing = 0, female = 0;
  for (std::size_t at = 0; (at = csv.find(",NA,", at)) != std::string::npos; ++at) ++missing;
  for (std::size_t at = 0; (at = csv.find(",f,", at)) != std::string::npos; ++at) ++female;
  EXPECT_EQ(sex["seen"]["missing"], missing);
  EXPECT_EQ(sex["seen"]["observed"], 120 - missing);
  for (const json& value : sex["seen"]["most_frequent"]) {
    if (value["value"] == "f") EXPECT_EQ(value["rows"], female);
  }
  EXPECT_EQ(sex["categories"], (json{"f", "m"}));
  EXPECT_EQ(named(model["inputs"], "bmi")["gaps"], "none");
  EXPECT_EQ(named(model["targets"], "outcome")["classes"], (json{"ill", "well"}));
}

TEST_F(Describe, TellsHeldOutLossesByTheNumberOfMissingInputs) {
  make_model();
  const json levels = described("model.st")["held_out"];
  ASSERT_GT(levels.size(), 2U);
  std::size_t rows = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    EXPECT_LE(levels[i]["missing"], 4);
    if (i > 0) {
      EXPECT_GT(levels[i]["missing"], levels[i - 1]["missing"]);
    }
    rows += levels[i]["targets"][0]["rows"].get<std::size_t>();
    EXPECT_GT(levels[i]["targets"][0]["log_loss"], 0.0);
  }
  EXPECT_GE(rows, 2U * 2048U) << "two networks";
}

TEST_F(Describe, KnowsModelsThatTellLess) {
  const std::string folder = std::string(KNOCKOUT_SOURCE_DIR) + "/tests/golden/";
  for (const char* name : {"model_v1.safetensors", "model_v2.safetensors"}) {
    const Outcome outcome = run({"describe", folder + name});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "Predicts ")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "not in the file")) << outcome.out;
    const json model = described(folder + name);
    EXPECT_GT(model["inputs"].size(), 0U);
    EXPECT_TRUE(model["held_out"].is_null());
  }
}

TEST_F(Describe, PassesOverWhatMakesNoSenseInAFile) {
  make_model();
  std::string model = read("model.st");
  // The same length, so that the file stays whole.
  model = replaced(model, "\"observed\":", "\"observad\":");
  model = replaced(model, "\"missing\":", "\"mussing\":");
  write("odd.st", model);
  const Outcome outcome = run({"describe", "odd.st"});
  EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 4) << outcome.err;
  EXPECT_FALSE(contains(outcome.err, "should not have happened")) << outcome.err;
}

TEST_F(Describe, WritesAPageAndItsNumbers) {
  make_model();
  const Outcome outcome = run({"describe", "-m", "model.st", "--report", "model.html"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(read("model.html"), "How good it was"));
  EXPECT_EQ(json::parse(read("model.json"))["inputs"].size(), 4U);
}

}  // namespace
}  // namespace knockout::test
