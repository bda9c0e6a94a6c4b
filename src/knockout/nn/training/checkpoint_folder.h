// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace knockout::nn {

/// Where a training keeps its two checkpoints.
class CheckpointFolder {
 public:
  explicit CheckpointFolder(std::string path) : path_(std::move(path)) {}

  std::string last_path() const;
  std::string best_path() const;

  /// Makes the folder ready and gives the bytes of its last checkpoint. Empty for a new run: then
  /// there are no best weights either. Throws FileError.
  std::string open() const;

 private:
  std::string path_;
};

}  // namespace knockout::nn
