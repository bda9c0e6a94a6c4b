// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace knockout {

/// The folder in which a training keeps where it stands, a checkpoint in each of a few files. Every
/// file is written whole or not at all. Nothing locks the folder: one training at a time. Threads
/// may use different files at once.
class TrainingFolder {
 public:
  /// Nothing is touched yet. `names` are the files that this training may have.
  TrainingFolder(std::string path, std::vector<std::string> names);

  /// Makes the folder and removes what a killed training left half written. Throws FileError.
  void open() const;

  std::string path_of(const std::string& name) const;
  bool has(const std::string& name) const;

  /// The bytes of a file; empty when there is none. Throws FileError for one that cannot be read.
  std::optional<std::string> read(const std::string& name) const;
  /// Throws FileError and leaves the file before as it was.
  void write(const std::string& name, std::string_view bytes) const;
  /// Removes a file of another training, if there is one. Throws FileError when it stays.
  void remove(const std::string& name) const;

  /// Removes all files, and the folder if nothing else is in it. What cannot be removed stays.
  void remove_all() const;

 private:
  std::string path_;
  std::vector<std::string> names_;
};

}  // namespace knockout
