// SPDX-License-Identifier: Apache-2.0
// The paper's studies show what the paper claims, and an interrupted one goes on where it was.
#include <signal.h>

#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

using nlohmann::json;

using Reproduce = CommandTest;

double mean_of(const json& found, const std::string& method, const std::string& measure) {
  for (const json& result : found["results"]) {
    if (result["method"] == method && result["measure"] == measure) return result["mean"];
  }
  ADD_FAILURE() << method << ", " << measure << " is not there";
  return 0;
}

TEST_F(Reproduce, KnockoutFindsTheMarginalsWhereTheBaselineDoesNot) {
  const Outcome outcome =
      run({"reproduce", "classification-mixed", "--quick", "--methods",
           "knockout,common-baseline,marginals", "--journal", "journal", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  EXPECT_LT(mean_of(found, "knockout", "error"), 0.02);
  for (const char* input : {"_x1", "_x2"}) {
    const std::string error = std::string("error") + input, jsd = std::string("jsd") + input;
    EXPECT_LT(mean_of(found, "knockout", error), mean_of(found, "common-baseline", error));
    EXPECT_LT(mean_of(found, "knockout", error), mean_of(found, "marginals", error) + 0.02);
    EXPECT_LT(mean_of(found, "knockout", jsd), 0.005);
  }
  EXPECT_FALSE(exists("journal")) << "the work is done";
}

/// What a study found, without what differs from run to run.
json results_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out)["results"];
}

TEST_F(Reproduce, AKilledRunGoesOnAndFindsTheSame) {
  const std::vector<std::string> study = {"reproduce",
                                          "mnar-ablation",
                                          "--quick",
                                          "--methods",
                                          "knockout,common-baseline,mice",
                                          "--threads",
                                          "1",
                                          "--journal",
                                          "journal",
                                          "--json"};
  const json whole = results_of(run(study));
  const pid_t child = start(study);
  for (int wait = 0; wait < 3000 && !contains(read("journal"), "\"knockout, mnar"); ++wait) {
    usleep(20000);
  }
  kill(child, SIGKILL);
  EXPECT_EQ(finish(child).signal, SIGKILL);
  ASSERT_TRUE(exists("journal"));
  const Outcome resumed = run(study);
  EXPECT_TRUE(contains(resumed.err, "came from an earlier run")) << resumed.err;
  EXPECT_EQ(results_of(resumed), whole);
}

TEST_F(Reproduce, TheDemoShowsTheClaimAndWritesItsReport) {
  const Outcome outcome = run({"demo"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "(best possible)")) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "so far")) << "no word for seconds, without a terminal";
  const std::string page = read("knockout_demo.html");
  EXPECT_TRUE(contains(page, "2,000 test rows"));
  EXPECT_FALSE(contains(page, "27,000")) << "the demo takes fewer";
  const json found = json::parse(read("knockout_demo.json"));
  for (const json& result : found["results"]) {
    if (result["method"] != "knockout" || result["against"] != "y") continue;
    const double best = found["best_possible_against_y"][result["missing"].get<int>()]["mean"];
    EXPECT_GT(result["mean"].get<double>(), 0.9 * best) << result;
    EXPECT_LT(result["mean"].get<double>(), 1.6 * best) << result;
  }
}

}  // namespace
}  // namespace knockout::test
