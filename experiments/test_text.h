// SPDX-License-Identifier: Apache-2.0
// Files and messages in tests of studies.
#pragma once

#include <filesystem>
#include <string>

#include "knockout/base/atomic_file.h"

namespace knockout::experiments {

/// With the folders that it needs.
inline void write_text(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  AtomicFile file(path.string());
  file.write(text);
  file.commit();
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace knockout::experiments
