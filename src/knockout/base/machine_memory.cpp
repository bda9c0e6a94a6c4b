// SPDX-License-Identifier: Apache-2.0
#include "knockout/base/machine_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

namespace knockout {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// The number in a file; no limit where there is none, or the word "max".
std::uint64_t limit_in(const fs::path& file) {
  std::uint64_t bytes = 0;
  std::ifstream in(file);
  return in >> bytes ? bytes : kNoLimit;
}

/// The least limit of a group and of all that it stands in. Inside a container the path may begin
/// outside of what can be seen, so that the root counts as well.
std::uint64_t least_upwards(const fs::path& root, fs::path group, const char* file) {
  std::uint64_t least = limit_in(root / file);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path()) {
    least = std::min(least, limit_in(root / group / file));
  }
  return least;
}

std::uint64_t physical_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page <= 0) return kNoLimit;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

std::uint64_t address_space() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kNoLimit;
  return limit.rlim_cur;
}

}  // namespace

std::uint64_t control_group_memory(const std::string& membership, const std::string& root) {
  std::uint64_t least = kNoLimit;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // "4:memory:/jobs/7", "0::/jobs/7"
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string kinds = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1);
    if (kinds == ",,") {
      least = std::min(least, least_upwards(root, group, "memory.max"));
    } else if (kinds.find(",memory,") != std::string::npos) {
      least =
          std::min(least, least_upwards(fs::path(root) / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::uint64_t machine_memory() {
  std::ostringstream membership;
  membership << std::ifstream("/proc/self/cgroup").rdbuf();
  return std::min({physical_memory(), address_space(),
                   control_group_memory(membership.str(), "/sys/fs/cgroup")});
}

}  // namespace knockout
