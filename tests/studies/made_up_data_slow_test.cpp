// SPDX-License-Identifier: Apache-2.0
// The studies on real data, on data they made up themselves: with something missing Knockout beats
// the common baseline, with everything there they tie, and where there is nothing to learn nobody
// gains. Through the command, as a person would: synthesize, then reproduce --quick.
#include <nlohmann/json.hpp>

#include "../cli/run_command.h"

namespace knockout::test {
namespace {

using nlohmann::json;

/// A study, where its scores stand in the JSON, and how near a tie has to be: the metric's own
/// units.
struct Case {
  std::string study, scores, rival;
  double tie;
  bool complete_pattern = true;  ///< The study has a pattern with everything there.
};

void PrintTo(const Case& of, std::ostream* stream) { *stream << of.study << of.scores; }

class MadeUpData : public CommandTest, public testing::WithParamInterface<Case> {
 protected:
  /// The gains over the rival of a quick run on new data.
  json gains(bool no_signal) {
    const std::string& study = GetParam().study;
    std::vector<std::string> synthesize = {"reproduce", study, "--synthesize", "data"};
    if (no_signal) synthesize.emplace_back("--no-signal");
    const Outcome made = run(synthesize);
    if (contains(made.err, "needs the LibTorch engine")) return {};
    EXPECT_EQ(made.exit_code, 0) << made.err;
    const Outcome outcome =
        run({"reproduce", study, "--data", "data", "--quick", "--methods", methods(), "--journal",
             "journal", "--checkpoints", "checkpoints", "--json"});
    if (contains(outcome.err, "needs the LibTorch engine")) return {};
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    if (outcome.exit_code != 0) return {};
    EXPECT_FALSE(exists("journal")) << "the work is done";
    return json::parse(outcome.out)
        .at(json::json_pointer(GetParam().scores))
        .at("gain_over")
        .at(GetParam().rival);
  }
  std::string methods() const {
    return (GetParam().study == "trees" ? "knockout-structured," : "knockout,") + GetParam().rival;
  }
};

TEST_P(MadeUpData, KnockoutWinsWithSomethingMissingAndTiesWithEverythingThere) {
  const json gain = gains(/*no_signal=*/false);
  if (gain.is_null()) GTEST_SKIP() << "this build has no LibTorch engine";
  SCOPED_TRACE(gain.dump(2));
  EXPECT_GT(gain["missing"]["low"], 0.0) << "the whole interval over three seeds";
  if (GetParam().complete_pattern) {
    EXPECT_LT(std::abs(gain["complete"]["mean"].get<double>()), GetParam().tie);
  }
}

TEST_P(MadeUpData, NobodyGainsWhereThereIsNothingToLearn) {
  const json gain = gains(/*no_signal=*/true);
  if (gain.is_null()) GTEST_SKIP() << "this build has no LibTorch engine";
  SCOPED_TRACE(gain.dump(2));
  EXPECT_LT(std::abs(gain["missing"]["mean"].get<double>()), GetParam().tie);
}

INSTANTIATE_TEST_SUITE_P(Studies, MadeUpData,
                         testing::Values(Case{"alzheimers", "/scores", "common-baseline", 0.03},
                                         Case{"privileged", "/scores", "common-baseline", 0.05,
                                              false},
                                         Case{"tumor", "/scores", "common-baseline", 0.05},
                                         Case{"trees", "/scores/resnet50", "common-baseline", 0.05},
                                         Case{"prostate", "/scores/auc", "common-baseline", 0.05},
                                         Case{"food101", "/scores", "common-baseline", 0.05}),
                         [](const testing::TestParamInfo<Case>& info) { return info.param.study; });

}  // namespace
}  // namespace knockout::test
