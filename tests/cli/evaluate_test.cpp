// SPDX-License-Identifier: Apache-2.0
// `knockout evaluate` does what its help says.
#include <nlohmann/json.hpp>

#include "knockout/base/sha256.h"
#include "knockout/base/version.h"
#include "run_command.h"

namespace knockout::test {
namespace {

using Evaluate = CommandTest;
using nlohmann::json;

TEST_F(Evaluate, ShowsScoresByNumberMissingCostsAndTheWorstPatterns) {
  make_model();
  const Outcome outcome = run({"evaluate", "patients.csv", "-m", "model.st"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part :
       {"patients.csv: 120 rows, 11 patterns by model.st", "outcome (classes ill, well)",
        "\n  missing  patterns  ", "log loss  ", "AUROC", "\n        2         6  ",
        "losing one input alone adds to the log loss", "the highest log loss",
        "of the input cells are missing in the data themselves"}) {
    EXPECT_TRUE(contains(outcome.out, part)) << part << "\n" << outcome.out;
  }
  EXPECT_EQ(outcome.err, "") << "no progress where there is no terminal";
}

TEST_F(Evaluate, InJsonHoldsTheNumbersThatItsMeansComeFrom) {
  make_model();
  const Outcome outcome = run({"evaluate", "patients.csv", "-m", "model.st", "--max-missing", "3",
                               "--json", "--seed", "7"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_EQ(found["rows"], 120);
  ASSERT_EQ(found["patterns"].size(), 1U + 4 + 6 + 4);
  ASSERT_EQ(found["levels"].size(), 4U);
  const auto log_loss = [](const json& scored) {
    return scored["targets"][0]["metrics"]["log_loss"]["value"].get<double>();
  };
  double sum = 0;
  for (const json& pattern : found["patterns"]) {
    if (pattern["missing"] == 2) sum += log_loss(pattern);
  }
  EXPECT_NEAR(log_loss(found["levels"][2]), sum / 6, 1e-12);
  // The cost of an input is what its pattern has above the pattern that hides nothing.
  const std::string costliest = found["costs"][0]["unit"];
  for (const json& pattern : found["patterns"]) {
    if (pattern["name"] != costliest) continue;
    EXPECT_NEAR(log_loss(found["costs"][0]), log_loss(pattern) - log_loss(found["patterns"][0]),
                1e-12);
  }
  EXPECT_EQ(found["provenance"]["command"],
            "knockout evaluate patients.csv -m model.st --max-missing 3 --json --seed 7");
  EXPECT_EQ(found["provenance"]["version"], kVersion);
  EXPECT_EQ(found["provenance"]["seed"], "7");
  EXPECT_EQ(found["provenance"]["data"][0]["sha256"], sha256_of_file(path("patients.csv")));
}

TEST_F(Evaluate, AgreesWithPredictOnATableWithThoseCellsGone) {
  make_model();
  const Outcome outcome =
      run({"evaluate", "patients.csv", "-m", "model.st", "--singles", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // bmi is the third column and has no gaps.
  const Outcome wrong = shell(
      "awk -F, -v OFS=, 'NR > 1 { $3 = \"\" } { print }' patients.csv > gone.csv && "
      "$K predict gone.csv -m model.st --key outcome | awk -F, 'NR > 1 && $1 != $2' | wc -l");
  const json found = json::parse(outcome.out);
  for (const json& pattern : found["patterns"]) {
    if (pattern["name"] != "bmi") continue;
    EXPECT_NEAR(pattern["targets"][0]["metrics"]["error_rate"]["value"].get<double>(),
                std::stod(wrong.out) / 120, 1e-9)
        << wrong.err;
  }
}

TEST_F(Evaluate, TakesThePatternsThatItIsAskedFor) {
  make_model();
  write("patterns.txt", "age,bmi\n# the rest\n*\n");
  const auto names = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"evaluate", "patients.csv", "-m", "model.st", "--json"});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> found;
    const json evaluation = json::parse(outcome.out);
    for (const json& pattern : evaluation["patterns"]) found.push_back(pattern["name"]);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"--singles"}), (Names{"nothing", "age", "bmi", "sex", "ward"}));
  EXPECT_EQ(names({"--max-missing", "0"}), Names{"nothing"});
  EXPECT_EQ(names({"--pattern-file", "patterns.txt"}),
            (Names{"nothing", "age, bmi", "age, bmi, sex, ward"}));
  EXPECT_EQ(names({"--patterns-seen"}), (Names{"nothing", "age", "sex", "age, sex"}));
  EXPECT_EQ(names({"--max-missing", "2", "--max-patterns", "5"}).size(), 1U + 4 + 5);
  EXPECT_EQ(names({"--max-missing", "2", "--max-patterns", "1e9"}).size(), 1U + 4 + 6);
}

TEST_F(Evaluate, SaysWhenPatternsWereDrawn) {
  make_model();
  const Outcome outcome =
      run({"evaluate", "patients.csv", "-m", "model.st", "--max-patterns", "5"});
  EXPECT_TRUE(contains(outcome.out, "of the 6 patterns with 2 missing, 5 were drawn"))
      << outcome.out;
}

TEST_F(Evaluate, CountsRowsWithoutALabel) {
  make_model();
  write("test.csv",
        "age,bmi,sex,ward,outcome\n30,20,f,1,ill\n40,30,m,2,\n50,35,f,3,well\n60,22,m,1,NA\n");
  const Outcome outcome = run({"evaluate", "test.csv", "-m", "model.st"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "2 of 4 rows have no label of \"outcome\"")) << outcome.out;
}

TEST_F(Evaluate, WritesAReportAndTheNumbersBesideIt) {
  make_model();
  const Outcome outcome =
      run({"evaluate", "patients.csv", "-m", "model.st", "--report", "page.html"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string page = read("page.html");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
  EXPECT_TRUE(contains(page, "--report page.html")) << "the command as typed";
  const json numbers = json::parse(read("page.json"));
  EXPECT_EQ(numbers["patterns"].size(), 11U);
  EXPECT_EQ(numbers["provenance"]["data"].size(), 2U) << "the data and the model";
}

TEST_F(Evaluate, ExplainsWhatIsWrong) {
  make_model();
  write("inputs.csv", "age,bmi,sex,ward\n30,20,f,1\n");
  write("labels.csv", "age,bmi,sex,ward,outcome\n30,20,f,1,dead\n");
  write("bad.txt", "agee\n");
  struct Case {
    std::vector<std::string> arguments;
    int exit_code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"evaluate"}, 2, "knockout evaluate test.csv -m model.safetensors"},
      {{"evaluate", "patients.csv"}, 2, "-m model.safetensors"},
      {{"evaluate", "patients.csv", "-m", "model.st", "--singles", "--patterns-seen"},
       2,
       "Choose one of them"},
      {{"evaluate", "patients.csv", "-m", "model.st", "--pattern-file", "bad.txt"},
       2,
       "bad.txt:1: the model has no input column or group \"agee\". Did you mean \"age\"?"},
      {{"evaluate", "patients.csv", "-m", "model.st", "--max-missing", "-1"}, 2, "whole number"},
      {{"evaluate", "patients.csv", "-m", "model.st", "--report", "model.st"}, 2, "--report"},
      {{"evaluate", "inputs.csv", "-m", "model.st"}, 3, "there is no column \"outcome\""},
      {{"evaluate", "labels.csv", "-m", "model.st"},
       3,
       "labels.csv:2, column \"outcome\": \"dead\""},
      {{"evaluate", "patients.csv", "-m", "patients.csv"}, 4, "patients.csv"},
      {{"evaluate", "absent.csv", "-m", "model.st"}, 5, "absent.csv"},
  };
  for (const Case& each : cases) {
    const Outcome outcome = run(each.arguments);
    EXPECT_EQ(outcome.exit_code, each.exit_code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, each.message)) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(Evaluate, GivesTheSameNumbersForAnyThreadsAndFromStandardInput) {
  make_model();
  const auto numbers = [&](std::vector<std::string> arguments, const RunOptions& options = {}) {
    arguments.insert(arguments.end(), {"-m", "model.st", "--json"});
    json found = json::parse(run(arguments, options).out);
    found.erase("seconds");
    found.erase("provenance");
    return found;
  };
  const json one = numbers({"evaluate", "patients.csv", "--threads", "1"});
  EXPECT_EQ(one, numbers({"evaluate", "patients.csv", "--threads", "3"}));
  EXPECT_EQ(one, numbers({"evaluate", "-"}, {.stdin_text = read("patients.csv")}));
}

TEST_F(Evaluate, LetsGapsMeanWhatTheyAreSaidToMean) {
  make_model();  // `age` had gaps in training, taken as informative
  const auto level_of = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"evaluate", "patients.csv", "-m", "model.st", "--json"});
    return json::parse(run(arguments).out)["levels"][1].dump();
  };
  const std::string by_default = level_of({});
  EXPECT_NE(level_of({"--missing-at-random", "all"}), by_default);
  EXPECT_EQ(level_of({"--missing-for-a-reason", "age"}), by_default);
}

}  // namespace
}  // namespace knockout::test
