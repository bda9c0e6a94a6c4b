// SPDX-License-Identifier: Apache-2.0
#include "experiments/jobs.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace knockout::experiments
