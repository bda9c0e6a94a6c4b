// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace knockout {

/// A file that appears whole or not at all: written beside its destination, renamed over it by
/// commit(). Destroyed without commit(), it leaves the previous file as it was. A symbolic link is
/// followed and stays a link; a device or pipe (/dev/null, a FIFO) is written to directly, since
/// nothing can be renamed over it. Every failure is a FileError that names the path, the cause and
/// what to do.
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
  void discard();
  [[noreturn]] void fail(int cause);

  std::string path_;            ///< As the caller named it, for messages.
  std::string target_path_;     ///< Where the bytes end up: links followed.
  std::string temporary_path_;  ///< Empty when a device is written to directly.
  std::FILE* file_ = nullptr;
};

/// Writes a whole file that way.
void write_atomically(const std::string& path, std::string_view bytes);

/// Makes sure that there is such a folder. Throws a FileError that calls it `what`: "the checkpoint
/// folder".
void create_folder(const std::string& path, std::string_view what);

/// Removes what writers of `path` left beside it when they were killed. Nobody may be writing it.
void remove_unfinished(const std::string& path);

}  // namespace knockout
