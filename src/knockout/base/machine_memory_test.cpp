// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/machine_memory.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <limits>

namespace knockout {
namespace {

namespace fs = std::filesystem;

class ControlGroups : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "knockout_cgroup_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::uint64_t limit(const std::string& membership) const {
    return control_group_memory(membership, root_.string());
  }

  fs::path root_;
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();
};

TEST_F(ControlGroups, LimitWhatIsBelowThem) {
  put("jobs/memory.max", "4000\n");
  put("jobs/seven/memory.max", "max\n");
  EXPECT_EQ(limit("0::/jobs/seven\n"), 4000U);
  EXPECT_EQ(limit("0::/others\n"), kNone);
}

TEST_F(ControlGroups, OfTheFirstVersionCountToo) {
  put("memory/memory.limit_in_bytes", "9000\n");
  put("memory/box/memory.limit_in_bytes", "5000\n");
  EXPECT_EQ(limit("9:cpu,cpuacct:/box\n4:memory:/box\n0::/\n"), 5000U);
  EXPECT_EQ(limit("4:memory:/a/path/outside/of/the/container\n"), 9000U);
}

TEST_F(ControlGroups, ThatAreAbsentLimitNothing) {
  EXPECT_EQ(limit(""), kNone);
  EXPECT_EQ(limit("nonsense\n::\n"), kNone);
}

TEST(MachineMemory, IsWhatThisMachineCanHave) {
  EXPECT_GT(machine_memory(), std::uint64_t{1} << 24);
  EXPECT_LT(machine_memory(), std::uint64_t{1} << 50);
}

}  // namespace
}  // namespace knockout
