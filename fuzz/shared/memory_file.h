// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "fuzz/shared/require.h"

namespace knockout::fuzz {

/// A file without a place on a disk, for readers that take a path: quick, and gone with the
/// program however it ends.
class MemoryFile {
 public:
  MemoryFile() : handle_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(handle_ >= 0, "there are files in memory");
  }
  ~MemoryFile() { ::close(handle_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// Replaces what is in it. Returns its path.
  std::string write(std::string_view bytes) const {
    require(::ftruncate(handle_, 0) == 0 && ::pwrite(handle_, bytes.data(), bytes.size(), 0) ==
                                                static_cast<ssize_t>(bytes.size()),
            "a file in memory can be written");
    return "/proc/self/fd/" + std::to_string(handle_);
  }

 private:
  int handle_;
};

}  // namespace knockout::fuzz
