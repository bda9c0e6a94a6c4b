// SPDX-License-Identifier: Apache-2.0
#include "cli/heartbeat.h"

#include <gtest/gtest.h>

namespace knockout::cli {
namespace {

using std::chrono::milliseconds;

class HeartbeatTest : public testing::Test {
 protected:
  std::string at(int ms, int last_said_ms, const std::string& stage,
                 const std::string& how_far = "") {
    return heartbeat_.beat(start_ + milliseconds(ms), start_ + milliseconds(last_said_ms),
                           {stage, how_far});
  }
  const Heartbeat::Time start_ = Heartbeat::Time() + std::chrono::hours(1);
  Heartbeat heartbeat_{start_};
};

TEST_F(HeartbeatTest, SpeaksAfterTwoSecondsOfSilence) {
  EXPECT_EQ(at(1900, 0, "reading a.csv"), "");
  EXPECT_EQ(at(2000, 0, "reading a.csv"), "reading a.csv (2.0 s so far)");
}

TEST_F(HeartbeatTest, SpeaksAgainEveryTenSeconds) {
  EXPECT_NE(at(2000, 0, "training"), "");
  EXPECT_EQ(at(4000, 0, "training"), "");
  EXPECT_EQ(at(11900, 0, "training"), "");
  EXPECT_EQ(at(12000, 0, "training", "34 % done"), "training: 34 % done (12 s so far)");
  EXPECT_EQ(at(21900, 0, "training"), "");
  EXPECT_NE(at(22000, 0, "training"), "");
}

TEST_F(HeartbeatTest, TellsOfAnotherStageWithinTwoSeconds) {
  EXPECT_NE(at(2000, 0, "reading a.csv"), "");
  EXPECT_EQ(at(3900, 0, "encoding"), "");
  EXPECT_EQ(at(4000, 0, "encoding"), "encoding (4.0 s so far)");
}

TEST_F(HeartbeatTest, IsSilentWhileOthersSpeak) {
  for (int ms = 0; ms < 30000; ms += 500) EXPECT_EQ(at(ms, ms - 1000, "training"), "");
}

TEST_F(HeartbeatTest, NeverLeavesAStageUntoldForMoreThanTwoSeconds) {
  // Whatever else is said and whenever stages change.
  int said = 0;
  std::string told, stage;
  int stage_since = 0;
  for (int ms = 0; ms < 120000; ms += 100) {
    if (ms % 7300 == 0) said = ms;
    const std::string now = "stage " + std::to_string(ms / 5900);
    if (now != stage) stage = now, stage_since = ms;
    const std::string line = at(ms, said, stage);
    if (!line.empty()) told = stage, said = ms;
    EXPECT_TRUE(told == stage || ms - std::max(stage_since, said) < 2000) << ms;
  }
}

TEST_F(HeartbeatTest, HasAWordForWhatNobodyNamed) {
  EXPECT_EQ(at(2000, 0, ""), "working (2.0 s so far)");
}

}  // namespace
}  // namespace knockout::cli
