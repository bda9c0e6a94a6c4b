// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace knockout {

/// Bytes of memory that this process may use at most: those of the machine, or fewer where its
/// container or an address space limit allows fewer.
std::uint64_t machine_memory();

/// The least of the memory limits of the control groups (versions 1 and 2) that `membership`, the
/// text of /proc/self/cgroup, names below `root`, the folder of /sys/fs/cgroup; the largest number
/// where there is no limit.
std::uint64_t control_group_memory(const std::string& membership, const std::string& root);

}  // namespace knockout
