// SPDX-License-Identifier: Apache-2.0
#include "experiments/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "knockout/base/error.h"
#include "knockout/base/strict_json.h"

namespace knockout::experiments {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw FileError(
      fmt::format("{}: cannot {} the journal of this run: {}.\n  Put it elsewhere:  "
                  "--journal FILE",
                  path, what, std::strerror(errno)));
}

/// A line of a journal; null for one that was cut short or that somebody spoilt.
nlohmann::json parse_line(const std::string& text) {
  try {
    return parse_strict_json(text);
  } catch (const ModelFileError&) {
    return nullptr;
  }
}

}  // namespace

Journal::Journal(std::string path, const nlohmann::json& settings, bool from_start)
    : path_(std::move(path)) {
  if (path_.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!folder.empty()) {
    std::error_code ignored;  // what matters is whether the file opens
    std::filesystem::create_directories(folder, ignored);
  }
  file_.reset(std::fopen(path_.c_str(), "a"));
  if (file_ == nullptr) fail(path_, "open");
  // Two runs of the same study would spoil each other's lines.
  if (flock(fileno(file_.get()), LOCK_EX | LOCK_NB) != 0) {
    throw FileError(fmt::format(
        "{}: another run of the same study is using this journal.\n  Wait for it, or:  --journal "
        "FILE",
        path_));
  }
  if (!from_start) read(settings);
  if (done_.empty() && ftruncate(fileno(file_.get()), 0) != 0) fail(path_, "start");
  std::fseek(file_.get(), 0, SEEK_END);
  if (done_.empty()) {
    write_line({{"settings", settings}});
  }
  resumed_ = done_.size();
}

void Journal::read(const nlohmann::json& settings) {
  std::ifstream in(path_);
  std::string text;
  bool first = true;
  while (std::getline(in, text)) {
    const nlohmann::json line = parse_line(text);
    if (first) {
      if (!line.is_object() || line.value("settings", nlohmann::json()) != settings) return;
      first = false;
      continue;
    }
    if (line.is_object() && line.contains("key") && line["key"].is_string() &&
        line.contains("result")) {
      done_[line["key"]] = line["result"];
    }
  }
}

std::optional<nlohmann::json> Journal::find(const std::string& key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = done_.find(key);
  if (found == done_.end()) return std::nullopt;
  return found->second;
}

void Journal::add(const std::string& key, const nlohmann::json& result) {
  const std::scoped_lock lock(mutex_);
  done_[key] = result;
  if (file_ != nullptr) write_line({{"key", key}, {"result", result}});
}

void Journal::write_line(const nlohmann::json& line) {
  // A line of its own even after one that was cut short.
  const std::string text = fmt::format("\n{}\n", line.dump());
  const std::string_view bytes = ftell(file_.get()) == 0 ? std::string_view(text).substr(1) : text;
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() ||
      std::fflush(file_.get()) != 0 || fsync(fileno(file_.get())) != 0) {
    fail(path_, "write");
  }
}

void Journal::remove() {
  if (file_ == nullptr) return;
  std::error_code ignored;  // a journal that stays does no harm
  std::filesystem::remove(path_, ignored);
  file_.reset();  // and its lock, which nobody may take before the file is gone
}

std::string user_cache_folder() {
  const auto is_usable = [](const char* path) { return path != nullptr && *path == '/'; };
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); is_usable(cache)) return cache;
  const char* home = std::getenv("HOME");
  if (!is_usable(home)) {
    // A folder for all, such as /tmp, is no substitute: the system knows where users are at home.
    const passwd* const user = ::getpwuid(::geteuid());
    home = user == nullptr ? nullptr : user->pw_dir;
  }
  if (is_usable(home)) return std::string(home) + "/.cache";
  throw FileError(
      "there is no folder of yours for the journal of this run: HOME is not set.\n"
      "  Say where it goes:  --journal FILE");
}

std::string default_journal_folder() {
  const std::filesystem::path folder = std::filesystem::path(user_cache_folder()) / "knockout";
  std::error_code failure;
  std::filesystem::create_directories(folder.parent_path(), failure);
  // Results that somebody else planted would be taken for ours: nobody else may write here.
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail(folder.string(), "keep");
  struct stat found = {};
  if (::lstat(folder.c_str(), &found) != 0) fail(folder.string(), "keep");
  if (!S_ISDIR(found.st_mode) || found.st_uid != ::geteuid() || (found.st_mode & S_IWOTH) != 0) {
    throw FileError(
        fmt::format("{}: the journal of this run would go here, but this is not a folder in which "
                    "you alone may write.\n  Put it elsewhere:  --journal FILE",
                    folder.string()));
  }
  return (folder / "reproduce").string();
}

}  // namespace knockout::experiments
