// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace knockout {

/// A file that appears whole or not at all: written beside its destination, renamed over it by
/// commit(). Destroyed without commit(), it leaves the previous file as it was. A device or pipe
/// (/dev/null, a FIFO) is written to directly, since nothing can be renamed over it. Every failure
/// is a FileError that names the path, the cause and what to do.
///
/// A symbolic link is followed once, when the file is opened, and stays a link; one that leads
/// nowhere gets its target made. The folder found then is kept open: whoever swaps a link or a
/// folder afterwards changes nothing about where the bytes go, and a link put in the place of the
/// file is replaced, not followed. A link that somebody else left in a folder for all (/tmp) is
/// refused, as Linux does it for programs that leave the following to it.
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
  int open_in_folder();
  void discard();
  [[noreturn]] void fail(int cause);

  std::string path_;            ///< As the caller named it, for messages.
  int folder_ = -1;             ///< Where the bytes end up: links followed.
  std::string name_;            ///< In that folder.
  std::string temporary_name_;  ///< Beside it; empty when a device is written to directly.
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
