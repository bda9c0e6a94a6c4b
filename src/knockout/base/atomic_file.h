// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace knockout {

/// A file that appears whole or not at all: written beside its destination, renamed over it by
/// commit(). Destroyed without commit(), it leaves the previous file as it was. Every failure is a
/// FileError that names the path and the cause.
///   AtomicFile file("model.safetensors");
///   file.write(bytes);
///   file.commit();
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  /// Flushes to disk and renames. Nothing may be written afterwards.
  void commit();

 private:
  std::string path_;
  std::string temporary_path_;
  std::FILE* file_ = nullptr;
};

}  // namespace knockout
