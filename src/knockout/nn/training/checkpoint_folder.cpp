// SPDX-License-Identifier: Apache-2.0
#include "knockout/nn/training/checkpoint_folder.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/nn/training/checkpoint.h"

namespace knockout::nn {

namespace fs = std::filesystem;

std::string CheckpointFolder::last_path() const {
  return (fs::path(path_) / "last.safetensors").string();
}

std::string CheckpointFolder::best_path() const {
  return (fs::path(path_) / "best.safetensors").string();
}

std::string CheckpointFolder::open() const {
  create_folder(path_, "the checkpoint folder");
  remove_unfinished(last_path());
  remove_unfinished(best_path());
  if (fs::exists(last_path())) return read_checkpoint_bytes(last_path());
  // First the best weights of a run that is gone, then the first checkpoint of this one: killed in
  // between, there is no folder in which they seem to belong together.
  std::error_code failure;
  fs::remove(best_path(), failure);
  if (failure) {
    throw FileError(
        fmt::format("cannot remove \"{}\", which is of another run: {}.\n"
                    "  Remove it, or choose another checkpoint_folder.",
                    best_path(), failure.message()));
  }
  return {};
}

}  // namespace knockout::nn
