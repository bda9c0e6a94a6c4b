// SPDX-License-Identifier: Apache-2.0
#include "knockout/networks/team.h"

#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <vector>

namespace knockout {
namespace {

TEST(Team, SeesEveryRanksWorkAfterAMeeting) {
  for (const int size : {1, 2, 5}) {
    Team team(size);
    std::vector<int> written(size);
    std::vector<int> wrong(size);
    team.run([&](int rank) {
      for (int round = 1; round <= 200; ++round) {
        written[rank] = round;
        team.wait_for_all();
        for (const int value : written) wrong[rank] += value != round;
        team.wait_for_all();
      }
    });
    EXPECT_EQ(std::accumulate(wrong.begin(), wrong.end(), 0), 0) << size << " threads";
  }
}

TEST(Team, RethrowsWhatARankThrew) {
  Team team(3);
  EXPECT_THROW(team.run([](int) { throw std::runtime_error("all ranks throw"); }),
               std::runtime_error);
}

TEST(Team, LetsTheOthersGoWhenOneRankThrows) {
  for (const int thrower : {0, 2}) {
    Team team(3);
    EXPECT_THROW(team.run([&](int rank) {
      team.wait_for_all();
      if (rank == thrower) throw std::runtime_error("this rank alone");
      team.wait_for_all();
    }),
                 std::runtime_error);
    int finished = 0;
    team.run([&](int rank) {
      team.wait_for_all();
      if (rank == 0) ++finished;
    });
    EXPECT_EQ(finished, 1) << "the team can be used again";
  }
}

}  // namespace
}  // namespace knockout
