// SPDX-License-Identifier: Apache-2.0
#include "experiments/jobs.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "knockout/base/test_thread_group.h"

namespace knockout::experiments {
namespace {

TEST(RunJobs, GivesEveryProcessTheResultsThatTheFirstOneHad) {
  const std::string path = testing::TempDir() + "knockout_jobs_test.jsonl";
  std::filesystem::remove(path);
  const nlohmann::json settings = {{"study", "test"}};
  StudyContext alone;
  alone.journal_path = path;
  open_journal(settings, alone)->add("first", {{"score", 0.1}, {"name", "K\u00f6ln"}});

  constexpr int kProcesses = 3;
  ThreadGroup group(kProcesses);
  std::vector<std::vector<nlohmann::json>> results(kProcesses);
  std::vector<int> ran(kProcesses);
  std::vector<std::thread> processes;
  for (int rank = 0; rank < kProcesses; ++rank) {
    processes.emplace_back([&, rank] {
      ThreadGroup::Member member(group, rank);
      StudyContext run;
      run.journal_path = path;
      run.processes = &member;
      const auto journal = open_journal(settings, run);
      const auto job = [&](const auto&) -> nlohmann::json { return ++ran[rank]; };
      results[rank] = run_jobs({{"first", job}, {"second", job}}, *journal, run);
    });
  }
  for (std::thread& process : processes) process.join();
  for (int rank = 0; rank < kProcesses; ++rank) {
    EXPECT_EQ(ran[rank], 1) << "only the second job was left to do";
    EXPECT_EQ(results[rank][0]["score"], 0.1);
    EXPECT_EQ(results[rank][0]["name"], "K\u00f6ln");
    EXPECT_EQ(results[rank][1], 1);
  }
  std::filesystem::remove(path);
}

/// A job that goes on from 90 % and takes 50 ms for a twentieth of itself has as much again to go,
/// and another whole job waits. What earlier runs had done must not make that look quick.
TEST(RunJobs, WhatAnEarlierRunHadDoneDoesNotCountAsQuickWork) {
  Journal journal("", {});
  journal.add("whole", 1);
  StudyContext run;
  run.threads = 1;
  std::vector<StudyContext::Progress> told;
  run.progress = [&](const StudyContext::Progress& progress) { told.push_back(progress); };
  const auto waits = [](double) { std::this_thread::sleep_for(std::chrono::milliseconds(50)); };
  run_jobs({{"whole", [](const auto&) -> nlohmann::json { return 1; }},
            {"resumed",
             [&](const auto& progress) -> nlohmann::json {
               progress(0.90);
               waits(0);
               progress(0.95);
               return 1;
             }},
            {"next", [](const auto&) -> nlohmann::json { return 1; }}},
           journal, run);
  ASSERT_EQ(told.size(), 5U);
  EXPECT_FALSE(told[0].seconds_left) << "nothing was done yet";
  EXPECT_FALSE(told[1].seconds_left) << "what the checkpoint had is no work of this run";
  ASSERT_TRUE(told[2].seconds_left);
  // 50 ms for 0.05 of a job, 1.05 jobs left: a second; the old reckoning said 58 ms.
  EXPECT_GT(*told[2].seconds_left, 0.9);
  EXPECT_EQ(*told[4].seconds_left, 0);
}

}  // namespace
}  // namespace knockout::experiments
