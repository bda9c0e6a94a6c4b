// SPDX-License-Identifier: Apache-2.0
#include "knockout/model/training_folder.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "knockout/base/atomic_file.h"
#include "knockout/base/error.h"
#include "knockout/base/read_bytes.h"

namespace knockout {

namespace fs = std::filesystem;

TrainingFolder::TrainingFolder(std::string path, std::vector<std::string> names)
    : path_(std::move(path)), names_(std::move(names)) {}

void TrainingFolder::open() const {
  create_folder(path_, "the checkpoint folder");
  for (const std::string& name : names_) remove_unfinished(path_of(name));
}

std::string TrainingFolder::path_of(const std::string& name) const {
  return (fs::path(path_) / name).string();
}

bool TrainingFolder::has(const std::string& name) const { return fs::exists(path_of(name)); }

std::optional<std::string> TrainingFolder::read(const std::string& name) const {
  if (!has(name)) return std::nullopt;
  return read_bytes(path_of(name), "the checkpoint");
}

void TrainingFolder::write(const std::string& name, std::string_view bytes) const {
  write_atomically(path_of(name), bytes);
}

void TrainingFolder::remove(const std::string& name) const {
  std::error_code failure;
  fs::remove(path_of(name), failure);
  if (failure) {
    throw FileError(
        fmt::format("cannot remove \"{}\", which is of another run: {}.\n"
                    "  Remove it, or choose another checkpoint_folder.",
                    path_of(name), failure.message()));
  }
}

void TrainingFolder::remove_all() const {
  std::error_code ignored;
  for (const std::string& name : names_) {
    remove_unfinished(path_of(name));
    fs::remove(path_of(name), ignored);
  }
  fs::remove(path_, ignored);  // fails, as it should, when there is more in it
}

}  // namespace knockout
