// SPDX-License-Identifier: Apache-2.0
#include "experiments/scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiments/bad_files.h"
#include "knockout/base/error.h"

namespace knockout::experiments {
namespace {

/// Two methods, three patterns, two seeds, worked out by hand below.
Scores sample() {
  Scores scores;
  scores.metric = "F1";
  scores.repetition_name = "seeds";
  scores.patterns = {"both", "aerial", "street"};
  scores.complete = 0;
  scores.methods = {{"knockout",
                     "Knockout",
                     {{0.5, 0.7}, {0.4, 0.4}, {0.6, 0.8}},
                     {{PaperFigure{0.496, 0.016}}, std::nullopt, {PaperFigure{0.416}}}},
                    {"common-baseline", "common baseline", {{0.5, 0.6}, {0.3, 0.2}, {0.1, 0.4}}}};
  return scores;
}

TEST(GainOver, ComparesSeedBySeed) {
  const Gain gain = gain_over(sample(), "knockout", "common-baseline");
  // Seed 0: (0.1 + 0.5) / 2 = 0.3; seed 1: (0.2 + 0.4) / 2 = 0.3.
  EXPECT_NEAR(gain.missing.mean, 0.3, 1e-12);
  EXPECT_NEAR(gain.missing.high - gain.missing.low, 0.0, 1e-9);
  // Seed 0: 0, seed 1: 0.1; Student's t with one degree of freedom.
  EXPECT_NEAR(gain.complete.mean, 0.05, 1e-12);
  EXPECT_NEAR(gain.complete.high - gain.complete.mean, 12.706 * 0.05, 1e-6);
}

TEST(GainOver, CountsALowerLossAsAGain) {
  Scores scores = sample();
  scores.higher_is_better = false;
  EXPECT_NEAR(gain_over(scores, "knockout", "common-baseline").missing.mean, -0.3, 1e-12);
}

TEST(GainOver, PassesOverWhatIsUndefined) {
  Scores scores = sample();
  scores.methods[0].values[1][0] = kNan;
  const Gain gain = gain_over(scores, "knockout", "common-baseline");
  EXPECT_NEAR(gain.missing.mean, (0.5 + 0.3) / 2, 1e-12);
}

TEST(ScoreTable, PutsThePapersFiguresBelowOursAndMarksTheBest) {
  const report::Table table = score_table(sample(), "caption");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"Knockout", "0.600 ±0.141", "0.400 ±0.000", "0.700 ±0.141"}));
  EXPECT_EQ(table.rows[1],
            (std::vector<std::string>{"  the paper's", "0.496 ±0.016", "", "0.416"}));
  using Cell = std::pair<std::size_t, std::size_t>;
  EXPECT_EQ(table.best, (std::vector<Cell>{{0, 1}, {0, 2}, {0, 3}}));
}

TEST(ScoresJson, HoldsEveryValueAndTheGains) {
  const nlohmann::ordered_json json = scores_json(sample(), "knockout");
  EXPECT_EQ(json["methods"]["common-baseline"]["patterns"]["street"]["values"],
            (std::vector<double>{0.1, 0.4}));
  EXPECT_NEAR(json["gain_over"]["common-baseline"]["missing"]["mean"].get<double>(), 0.3, 1e-12);
  EXPECT_EQ(json["methods"]["knockout"]["patterns"]["both"]["paper"], 0.496);
}

TEST(BadFiles, StopsAStudyWithAllOfThemUnlessTheyAreToBeSkipped) {
  BadFiles bad;
  EXPECT_NO_THROW(bad.throw_unless_skipped(false, "subject"));
  for (int i = 0; i < 205; ++i) bad.add("subject " + std::to_string(i), "t1.nii.gz: cut short.");
  EXPECT_NO_THROW(bad.throw_unless_skipped(true, "subject"));
  try {
    bad.throw_unless_skipped(false, "subject");
    FAIL() << "205 bad files went unnoticed";
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("205 subjects"), std::string::npos) << message;
    EXPECT_NE(message.find("subject 0: t1.nii.gz: cut short."), std::string::npos);
    EXPECT_NE(message.find("and 5 more"), std::string::npos);
    EXPECT_NE(message.find("--skip-bad"), std::string::npos);
  }
  EXPECT_EQ(bad.table("subject").rows.size(), 205U);
  EXPECT_EQ(bad.json().size(), 205U);
}

}  // namespace
}  // namespace knockout::experiments
