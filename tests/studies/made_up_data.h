// SPDX-License-Identifier: Apache-2.0
// The studies on real data, on data they made up themselves: with something missing Knockout beats
// the common baseline, with everything there they tie, and where there is nothing to learn nobody
// gains. Through the command, as a person would: synthesize, then reproduce --quick.
#pragma once

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "../cli/run_command.h"

namespace knockout::test {

struct StudyCase {
  std::string study;
  std::string scores;    ///< Where they stand in the JSON.
  std::string complete;  ///< Where the scores with everything there stand; "" = in no pattern.
  double tie = 0.05;     ///< How near a tie has to be, in the metric's units,
  double control_tie = 0.05;
  double chance = 0;  ///< What nobody can exceed in the control but by luck.
  std::vector<std::string> more = {}, more_for_control = {};  ///< Options.
  std::string method = "knockout";
};

inline void PrintTo(const StudyCase& of, std::ostream* stream) { *stream << of.study; }

class MadeUpData : public CommandTest, public testing::WithParamInterface<StudyCase> {
 protected:
  using json = nlohmann::json;
  static constexpr const char* kRival = "common-baseline";

  /// What a quick run on new data found; null without the LibTorch engine.
  json found(bool no_signal) {
    const StudyCase& of = GetParam();
    std::vector<std::string> synthesize = {"reproduce", of.study, "--synthesize", "data"};
    std::vector<std::string> reproduce = {"reproduce",
                                          of.study,
                                          "--data",
                                          "data",
                                          "--quick",
                                          "--methods",
                                          of.method + "," + kRival,
                                          "--journal",
                                          "journal",
                                          "--checkpoints",
                                          "checkpoints",
                                          "--threads",
                                          "1",
                                          "--json"};
    const auto& more = no_signal ? of.more_for_control : of.more;
    reproduce.insert(reproduce.end(), more.begin(), more.end());
    if (no_signal) synthesize.emplace_back("--no-signal");
    for (const auto& command : {synthesize, reproduce}) {
      const Outcome outcome = run(command);
      if (contains(outcome.err, "needs the LibTorch engine")) return {};
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
      if (outcome.exit_code != 0) return {};
      if (command == reproduce) {
        EXPECT_FALSE(exists("journal")) << "the work is done";
        EXPECT_TRUE(json::parse(outcome.out).at("made_up_data").get<bool>());
        return json::parse(outcome.out);
      }
    }
    return {};
  }
  static json gain(const json& found, const std::string& scores) {
    return found.at(json::json_pointer(scores)).at("gain_over").at(kRival);
  }
};

TEST_P(MadeUpData, KnockoutWinsWithSomethingMissingAndTiesWithEverythingThere) {
  const json result = found(/*no_signal=*/false);
  if (HasFailure()) return;
  if (result.is_null()) GTEST_SKIP() << "this build has no LibTorch engine";
  const json gains = gain(result, GetParam().scores);
  EXPECT_GT(gains["missing"]["low"], 0.0) << gains.dump(2);  // the whole interval over the seeds
  if (GetParam().complete.empty()) return;
  const json complete = gain(result, GetParam().complete)["complete"];
  EXPECT_LT(std::abs(complete["mean"].get<double>()), GetParam().tie) << complete.dump(2);
}

TEST_P(MadeUpData, NobodyGainsWhereThereIsNothingToLearn) {
  const json result = found(/*no_signal=*/true);
  if (HasFailure()) return;
  if (result.is_null()) GTEST_SKIP() << "this build has no LibTorch engine";
  const json gains = gain(result, GetParam().scores);
  EXPECT_LT(gains["missing"]["mean"], GetParam().control_tie) << gains.dump(2);
  // A leak that helps both methods alike would not show in their difference.
  const json scores = result.at(json::json_pointer(GetParam().scores));
  for (const auto& [method, of] : scores.at("methods").items()) {
    for (const auto& [pattern, cell] : of.at("patterns").items()) {
      EXPECT_LT(cell["mean"], GetParam().chance + 2 * GetParam().control_tie)
          << method << ", " << pattern;
    }
  }
}

inline std::string name_of(const testing::TestParamInfo<StudyCase>& info) {
  return info.param.study;
}

}  // namespace knockout::test
