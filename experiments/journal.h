// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace knockout::experiments {

/// What a long run has done so far, one line of JSON per finished piece of work, so that an
/// interrupted run goes on where it was. A line that was cut short counts as not written.
///   Journal journal(path, settings);
///   if (auto done = journal.find("mice, repetition 3")) return *done;
///   journal.add("mice, repetition 3", result);
class Journal {
 public:
  /// Opens or starts the file; one that belongs to other settings is started anew, any file when
  /// `from_start`. "" keeps the journal in memory only. Throws FileError.
  Journal(std::string path, const nlohmann::json& settings, bool from_start = false);

  /// Pieces that an earlier run left.
  std::size_t resumed() const { return resumed_; }
  std::optional<nlohmann::json> find(const std::string& key) const;
  /// On disk when it returns. Safe from any thread.
  void add(const std::string& key, const nlohmann::json& result);
  /// The work is done: the file goes.
  void remove();

 private:
  void read(const nlohmann::json& settings);
  void write_line(const nlohmann::json& line);

  std::string path_;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::map<std::string, nlohmann::json> done_;
  std::size_t resumed_ = 0;
  mutable std::mutex mutex_;
};

/// The user's cache folder, as the XDG specification has it: relative paths do not count. Throws
/// FileError where the user has no home.
std::string user_cache_folder();

/// Where journals go unless told: a folder in the user's cache, which is made if need be. Throws
/// FileError when the user has none, or when others may write there.
std::string default_journal_folder();

}  // namespace knockout::experiments
