// SPDX-License-Identifier: Apache-2.0
// knockout compare, from the command line to the page that it writes.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "run_command.h"

namespace knockout::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class Compare : public CommandTest {
 protected:
  Outcome compare(const Words& more) const {
    Words words = {"compare", "patients.csv", "--target", "outcome",    "--ignore",
                   "id,risk", "--folds",      "2",        "--networks", "1",
                   "--steps", "60",           "--hidden", "16"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(Compare, TellsWhoLeadsUnderEveryRemoval) {
  write("patients.csv", patients());
  const Outcome outcome = compare({"--methods", "knockout,common-baseline,boosting"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* phrase :
       {"Nothing removed: Knockout is", "50 % of the cells removed (MCAR): Knockout is",
        "mean rank", "minus Knockout", "Seconds on one core", "XGBoost"}) {
    EXPECT_TRUE(contains(outcome.out, phrase)) << phrase << "\n" << outcome.out;
  }
}

TEST_F(Compare, SaysWhatItWillTakeBeforeItStarts) {
  write("patients.csv", patients());
  const Outcome outcome = compare({"--methods", "knockout,boosting", "--threads", "1"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* phrase : {"4 trainings (2 methods, 2 folds), 1 at a time: about ",
                             "The largest: Knockout, 1 network of ", "at most 60 steps"}) {
    EXPECT_TRUE(contains(outcome.err, phrase)) << phrase << "\n" << outcome.err;
  }
}

TEST_F(Compare, RanksAndDifferencesFollowFromTheLosses) {
  write("patients.csv", patients());
  const Outcome outcome =
      compare({"--methods", "knockout,zero-indicator,mice", "--ampute", "none,mnar:0.2", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json found = json::parse(outcome.out);
  ASSERT_EQ(found["results"].size(), 2U);
  for (const json& result : found["results"]) {
    const double first = result["methods"][0]["relative_loss"]["value"];
    for (const json& method : result["methods"]) {
      const double loss = method["relative_loss"]["value"];
      EXPECT_NEAR(method["difference"]["value"].get<double>(), loss - first, 1e-12);
      int rank = 1;
      for (const json& other : result["methods"]) {
        rank += other["relative_loss"]["value"].get<double>() < loss;
      }
      EXPECT_EQ(method["rank"].get<double>(), rank);
    }
  }
}

TEST_F(Compare, EveryNumberOfAChartStandsInTheJsonBesideThePage) {
  write("patients.csv", patients());
  const Outcome outcome = compare({"--methods", "knockout,linear", "--ampute", "none,mcar:0.5",
                                   "--report", "page.html", "--quiet"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string page = read("page.html");
  const json found = json::parse(read("page.json"));
  for (const json& result : found["results"]) {
    for (const json& method : result["methods"]) {
      const double loss = method["relative_loss"]["value"];
      EXPECT_TRUE(contains(page, fmt::format(">{}<", loss))) << loss;
    }
  }
  EXPECT_EQ(found["provenance"]["data"][0]["sha256"].get<std::string>().size(), 64U);
  EXPECT_FALSE(contains(page, "http://")) << "a page that opens offline";
}

TEST_F(Compare, GivesTheSameNumbersForAnyNumberOfThreads) {
  write("patients.csv", patients());
  const auto losses = [&](const char* threads) {
    const Outcome outcome = compare(
        {"--methods", "knockout,knn", "--ampute", "mcar:0.3", "--threads", threads, "--json"});
    return json::parse(outcome.out)["results"];
  };
  EXPECT_EQ(losses("1"), losses("3"));
}

TEST_F(Compare, NamesAMethodThatCannotBeUsedAndGoesOn) {
  write("patients.csv", patients());
  const Outcome outcome = compare(
      {"--methods", "knockout,complete-case", "--ampute", "none", "--ampute-training", "mcar:0.9"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "Knockout has loss")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "Complete cases could not be used")) << outcome.out;
}

}  // namespace
}  // namespace knockout::test
