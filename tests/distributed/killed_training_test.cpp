// SPDX-License-Identifier: Apache-2.0
// A training that is killed, at any point and several times, ends like one that is not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "training_worker.h"
#include "worker_processes.h"

namespace knockout::testing_processes {
namespace {

class KilledTraining : public ProcessesTest {
 protected:
  Worker start(const std::string& checkpoints, const std::string& output,
               int killed_writing_after = 0) const {
    return Worker({{"KNOCKOUT_TEST_WORKER", "training"},
                   {"NETWORK", "stateful"},
                   {"STEPS", "400"},
                   {"MILLISECONDS", "1"},
                   {"KILLED_WRITING_AFTER", std::to_string(killed_writing_after)},
                   {"CHECKPOINTS", checkpoints.empty() ? "" : (folder_ / checkpoints).string()},
                   {"OUTPUT", (folder_ / output).string()}},
                  folder_ / (output + ".log"));
  }

  /// The step of the last checkpoint, -1 before the first.
  std::int64_t last_step(const std::string& checkpoints) const {
    const fs::path path = folder_ / checkpoints / "last.safetensors";
    if (!fs::exists(path)) return -1;
    return nn::checkpoint_from_bytes(read_file(path), path.string()).document.at("step");
  }

  /// Whether a writer has left an unfinished file.
  bool has_unfinished(const std::string& checkpoints) const {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_ / checkpoints, ignored)) {
      if (entry.path().filename().string().find(".tmp-") != std::string::npos) return true;
    }
    return false;
  }
};

TEST_F(KilledTraining, EndsWithTheBytesOfAnUndisturbedOne) {
  Worker undisturbed = start("", "undisturbed");
  ASSERT_EQ(undisturbed.wait(), 0) << undisturbed.log();

  std::minstd_rand random(11);
  for (int kill = 0; kill < 3; ++kill) {
    // At any moment after it has come further than the one before it.
    const std::int64_t before = last_step("run");
    Worker worker = start("run", "killed");
    ASSERT_TRUE(eventually([&] { return last_step("run") > before || !worker.is_running(); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 20));
    worker.send(SIGKILL);
    ASSERT_EQ(worker.wait(), 128 + SIGKILL) << "it ended before it could be killed";

    // In the middle of writing a checkpoint.
    const std::int64_t whole = last_step("run");
    const int steps = 1 + static_cast<int>(random() % 10);
    Worker writer = start("run", "killed", steps);
    ASSERT_EQ(writer.wait(), 128 + SIGKILL) << writer.log();
    EXPECT_TRUE(has_unfinished("run"));
    EXPECT_GE(last_step("run"), whole) << "the checkpoint before it is gone";
    EXPECT_LE(last_step("run"), whole + steps);
  }

  Worker last = start("run", "killed");
  ASSERT_EQ(last.wait(), 0) << last.log();
  EXPECT_EQ(read_file(folder_ / "killed"), read_file(folder_ / "undisturbed"));
  EXPECT_FALSE(has_unfinished("run")) << "files of killed writers are left";
}

}  // namespace
}  // namespace knockout::testing_processes

int main(int argc, char** argv) {
  if (std::getenv("KNOCKOUT_TEST_WORKER") != nullptr) {
    return knockout::testing_processes::run_training();
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
